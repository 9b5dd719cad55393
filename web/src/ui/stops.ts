/** What ends together: effects, listeners and timers of one part of the page. */
export type Stop = () => void;

/** Ends all of them, the last first. */
export function together(...stops: readonly Stop[]): Stop {
  return () => {
    for (const stop of stops.toReversed()) stop();
  };
}
