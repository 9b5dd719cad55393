/** Who is here, in the head of the page: faces that open a menu to follow somebody, or to say one's own name. */
import { number, t } from "../i18n/i18n";
import type { Someone } from "../protocol/types";
import { Menu, type MenuItem } from "../ui/menu";
import { sharing } from "../ui/page/dialogs";
import { Icon } from "../ui/icons";
import { colourOf, crowd, editors, following, initials, myName, nameOf } from "./people";

const MOST_FACES = 3;

export function People() {
  const count = crowd.value.count + 1;
  if (count < 2) return null;
  const words = t("peopleHere", { n: count });
  return (
    <div class="people">
      <Menu label={words} icon="people" items={items}>
        {editors.value.slice(0, MOST_FACES).map((person) => <Face key={person.id} person={person} />)}
        {editors.value.length === 0 && <Icon name="people" />}
        <span class="people-count">{number(count)}</span>
      </Menu>
    </div>
  );
}

/** The letters are drawn, not written: they are not text to be read out. */
function Face({ person }: { person: Someone }) {
  return (
    <span class="face" style={{ background: colourOf(person) }} data-initials={initials(person.name) || "·"} aria-hidden="true" />
  );
}

function items(): MenuItem[] {
  const { viewers } = crowd.value;
  return [
    {
      label: myName.value === "" ? t("sayYourName") : t("youAre", { name: myName.value }), icon: "edit",
      act: () => (sharing.value = true),
    },
    ...editors.value.map((person, index): MenuItem => ({
      label: nameOf(person), checked: following.value === person.id, colour: colourOf(person),
      act: () => (following.value = following.value === person.id ? null : person.id),
      ...(index === 0 && { section: t("follow") }),
    })),
    ...(viewers > 0 ? [{ label: t("viewersHere", { n: viewers }), icon: "eye" as const, disabled: true, act: () => undefined }] : []),
  ];
}

/** Over the map while it follows somebody. */
export function FollowBanner() {
  const person = editors.value.find((each) => each.id === following.value);
  if (person === undefined) return null;
  return (
    <>
      <div class="follow-frame" style={{ borderColor: colourOf(person) }} aria-hidden="true" />
      <div class="follow card" role="status">
        <Face person={person} />
        <span>{t("followingPerson", { name: nameOf(person) })}</span>
        <button type="button" class="link" onClick={() => (following.value = null)}>{t("stopFollowing")}</button>
      </div>
    </>
  );
}
