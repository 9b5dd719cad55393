/** The comments on the map after an event. Pure. */
import type { CommentThread } from "../protocol/types";
import type { MapEvent } from "../protocol/messages";

export function applyComments(threads: CommentThread[], event: MapEvent): CommentThread[] {
  switch (event.event) {
    case "thread_started":
      return [...threads, event.data.thread];
    case "comment_added": {
      const { thread_id, comment } = event.data;
      return changed(threads, thread_id, (it) => ({ ...it, comments: [...it.comments, comment], resolved: false, resolved_by: null }));
    }
    case "comment_removed": {
      const { thread_id, comment_id } = event.data;
      return changed(threads, thread_id, (it) => ({ ...it, comments: it.comments.filter(({ id }) => id !== comment_id) }));
    }
    case "thread_resolved": {
      const { thread_id, resolved, author } = event.data;
      return changed(threads, thread_id, (it) => ({ ...it, resolved, resolved_by: resolved ? author ?? null : null }));
    }
    case "thread_removed":
      return threads.filter(({ id }) => id !== event.data.thread_id);
    default:
      return threads;
  }
}

function changed(threads: CommentThread[], id: string, change: (thread: CommentThread) => CommentThread): CommentThread[] {
  return threads.map((thread) => (thread.id === id ? change(thread) : thread));
}
