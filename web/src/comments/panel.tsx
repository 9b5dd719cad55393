/** The comments on the map beside it: open threads, resolved ones, and the box for a new comment or a reply. */
import "../theme/comments.css";
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { t, time } from "../i18n/i18n";
import { boxed, tool } from "../instance/selection";
import type { CommentThread } from "../protocol/types";
import { myName } from "../people/people";
import { goToPlace } from "../session/camera";
import { removeComment, removeThread, reply, resolveThread, startThread } from "../session/commands";
import { sharing } from "../ui/page/dialogs";
import { layers, mayChange, openThreads, threads } from "../store/store";
import { onEscape } from "../ui/focus";
import { Icon, IconButton } from "../ui/icons";
import { Menu, type MenuItem } from "../ui/menu";
import { side } from "../ui/page/side";
import { SidePanel } from "../ui/page/side-panel";
import { beginning, nameOf, openThread, pinsHidden } from "../instance/comments";

const MAX_TEXT = 2000;

export function CommentsPanel() {
  const resolved = threads.value.filter((thread) => thread.resolved);
  const close = () => {
    beginning.value = null;
    openThread.value = null;
    side.value = "chat";
  };
  return (
    <SidePanel
      title={t("comments")} close={close} takesFocus={beginning.peek() === null}
      tools={
        <IconButton
          icon={pinsHidden.value ? "eyeOff" : "eye"} label={t("commentPins")} pressed={!pinsHidden.value}
          onClick={() => (pinsHidden.value = !pinsHidden.value)}
        />
      }
    >
      {mayChange.value && (beginning.value === null ? <Begin /> : <NewThread />)}
      <div class="comments">
        {threads.value.length === 0 && beginning.value === null && <p class="quiet comments-none">{t("commentsEmpty")}</p>}
        <ul>{openThreads.value.map((thread) => <Thread key={thread.id} thread={thread} />)}</ul>
        {resolved.length > 0 && (
          <details open={resolved.some(({ id }) => id === openThread.value)}>
            <summary>{t("commentsResolved", { n: resolved.length })}</summary>
            <ul>{resolved.map((thread) => <Thread key={thread.id} thread={thread} />)}</ul>
          </details>
        )}
      </div>
    </SidePanel>
  );
}

function Begin() {
  return (
    <div class="comments-begin">
      <button type="button" class="button" aria-pressed={tool.value === "comment"} onClick={() => (tool.value = "comment")}>
        <Icon name="comment" />{t("toolComment")}
      </button>
    </div>
  );
}

function NewThread() {
  const place = beginning.value;
  if (place === null) return null;
  const send = async (text: string) => {
    const id = await startThread(place, text);
    if (id === null) return false;
    beginning.value = null;
    openThread.value = id;
    return true;
  };
  return (
    <div class="comments-new">
      <p class="comment-place"><Icon name="pin" /><span dir="auto">{nameOf(place) || t("commentOnMap")}</span></p>
      <Write label={t("commentNew")} action={t("commentSend")} send={send} cancel={() => (beginning.value = null)} begins />
    </div>
  );
}

function Thread({ thread }: { thread: CommentThread }) {
  const { id, place, comments, resolved } = thread;
  const isOpen = openThread.value === id;
  const box = useRef<HTMLLIElement>(null);
  useLayoutEffect(() => {
    if (isOpen) box.current?.scrollIntoView({ block: "nearest" });
  }, [isOpen]);
  const [first, ...replies] = comments;
  if (first === undefined) return null;
  const name = nameOf(place) || t("commentOnMap");
  return (
    <li ref={box} class={isOpen ? "comment-thread open" : "comment-thread"}>
      <div class="comment-head">
        <button type="button" class="comment-place" aria-expanded={isOpen} onClick={() => (isOpen ? (openThread.value = null) : look(thread))}>
          <Icon name="pin" /><span dir="auto">{name}</span>
        </button>
        {mayChange.value && (
          <IconButton
            icon={resolved ? "retry" : "check"} label={t(resolved ? "commentReopen" : "commentResolve")}
            onClick={() => void resolveThread(id, !resolved)}
          />
        )}
        {mayChange.value && <Menu label={t("commentActions", { name })} icon="more" items={() => actions(thread)} />}
      </div>
      <Written comment={first} />
      {!isOpen && replies.length > 0 && (
        <button type="button" class="link" onClick={() => look(thread)}>{t("commentReplies", { n: replies.length })}</button>
      )}
      {isOpen && replies.map((comment) => (
        <Written key={comment.id} comment={comment} remove={mayChange.value ? () => void removeComment(id, comment.id) : undefined} />
      ))}
      {resolved && <p class="quiet">{thread.resolved_by == null ? t("commentIsResolved") : t("commentResolvedBy", { name: thread.resolved_by })}</p>}
      {isOpen && mayChange.value && <Write label={t("commentReply")} action={t("commentReply")} send={(text) => reply(id, text)} />}
    </li>
  );
}

/** Opens the thread, goes there, and marks the feature that it is about. */
function look({ id, place }: CommentThread): void {
  openThread.value = id;
  goToPlace(place.position);
  const { layer_id: layerId, feature_id: feature } = place;
  if (layerId != null && feature != null && layers.value.some((layer) => layer.id === layerId)) boxed.value = { layerId, ids: [feature] };
}

function actions(thread: CommentThread): MenuItem[] {
  return [
    { label: t("goThere"), icon: "target", act: () => look(thread) },
    { label: t("commentRemoveThread"), icon: "trash", danger: true, act: () => void removeThread(thread.id) },
  ];
}

function Written({ comment, remove }: { comment: CommentThread["comments"][number]; remove?: (() => void) | undefined }) {
  return (
    <div class="comment">
      <p class="comment-by">
        <strong dir="auto">{comment.author ?? t("commentNoName")}</strong>
        <time dateTime={comment.at}>{time(comment.at)}</time>
        {remove !== undefined && <IconButton icon="trash" class="comment-remove" label={t("commentRemove")} onClick={remove} />}
      </p>
      <p class="comment-text" dir="auto">{comment.text}</p>
    </div>
  );
}

/** What is written stays until the server has it. Ctrl+Enter sends. */
function Write({ label, action, send, cancel, begins }: {
  label: string;
  action: string;
  send: (text: string) => Promise<boolean>;
  cancel?: () => void;
  begins?: boolean;
}) {
  const text = useSignal("");
  const isSending = useSignal(false);
  const box = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    if (begins) box.current?.focus({ preventScroll: true });
  }, []);
  const submit = async () => {
    if (text.value.trim() === "" || isSending.value) return;
    isSending.value = true;
    if (await send(text.value.trim())) text.value = "";
    isSending.value = false;
  };
  return (
    <form
      class="comment-write" onSubmit={(event) => { event.preventDefault(); void submit(); }}
      onKeyDown={(event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void submit();
        if (event.key === "Escape" && cancel !== undefined) onEscape(cancel)(event);
      }}
    >
      <textarea
        ref={box} rows={2} dir="auto" maxLength={MAX_TEXT} aria-label={label} placeholder={label} value={text.value}
        onInput={(event) => (text.value = event.currentTarget.value)}
      />
      <div class="comment-write-row">
        {myName.value === "" && <button type="button" class="link" onClick={() => (sharing.value = true)}>{t("sayYourName")}</button>}
        <span class="head-space" />
        {cancel !== undefined && <button type="button" class="link" onClick={cancel}>{t("cancel")}</button>}
        <button type="submit" class="button" disabled={text.value.trim() === "" || isSending.value}>{action}</button>
      </div>
    </form>
  );
}
