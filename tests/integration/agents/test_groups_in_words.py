"""Layers are put into groups in words: by the agent's tool, and as steps that can be undone."""

from tests.support.server import client, local_server


async def test_layers_form_a_group_and_leave_it(samples_url: str) -> None:
    async with local_server(samples_url) as server, client(server) as one:
        await one.ask("join")
        await one.says("show airports and cities")
        await one.says("put airports and cities into the group Transport")
        calls = [call for call in one.named("tool_finished") if call["name"] == "update_map_layer"]
        assert [call["ok"] for call in calls] == [True, True]
        updated = {each["layer"]["id"]: each["layer"].get("group") for each in one.named("layer_updated")}
        assert updated == {"airports": "Transport", "cities": "Transport"}
        await one.says("ungroup the cities")
        assert one.named("layer_updated")[-1]["layer"]["group"] is None
        await one.says("undo")
        assert one.named("layer_updated")[-1]["layer"]["group"] == "Transport"
