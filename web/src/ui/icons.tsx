/** The icons, drawn on a 16 px grid with one stroke width. They are decoration: labels stand on the buttons. */
const PATHS = {
  send: "M8 13V3M3.5 7.5 8 3l4.5 4.5",
  stop: "M4.5 4.5h7v7h-7z",
  layers: "m8 2 6 3.2-6 3.2-6-3.2zM2.5 8.2 8 11.1l5.5-2.9M2.5 11.1 8 14l5.5-2.9",
  eye: "M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8ZM8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z",
  eyeOff: "M6.3 3.8A6 6 0 0 1 8 3.5c4 0 6.5 4.5 6.5 4.5a11 11 0 0 1-1.7 2.2M9.9 12.2A6 6 0 0 1 8 12.5C4 12.5 1.5 8 1.5 8a11 11 0 0 1 2.2-2.7M2.5 2.5l11 11",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  undo: "M5.5 3 2.5 6l3 3M2.5 6h7a3.5 3.5 0 0 1 0 7H6",
  redo: "m10.5 3 3 3-3 3M13.5 6h-7a3.5 3.5 0 0 0 0 7H10",
  chevron: "m4 6 4 4 4-4",
  chevronRight: "m6 4 4 4-4 4",
  chevronLeft: "m10 4-4 4 4 4",
  close: "m4 4 8 8M12 4l-8 8",
  empty: "M8 13.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11ZM4.1 11.9l7.8-7.8",
  book: "M3 2.5h8a2 2 0 0 1 2 2v9H5a2 2 0 0 1-2-2zM3 11.5a2 2 0 0 1 2-2h8",
  check: "m3 8.5 3.2 3L13 4.5",
  alert: "M8 5v3.5M8 11h.01M8 1.8 14.5 13.5h-13z",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
  retry: "M13 8a5 5 0 1 1-1.6-3.7M13 2.5v3h-3",
  edit: "M10.5 3 13 5.5 5.5 13H3v-2.5z",
  grip: "M6 4h.01M6 8h.01M6 12h.01M10 4h.01M10 8h.01M10 12h.01",
  chat: "M2.5 3.5h11v7.5H8l-3 2.5V11H2.5z",
  comment: "M8 13.5 5.8 11H3.5a1 1 0 0 1-1-1V3.500a1 1 0 0 1 1-1h9a1 1 0 0 1 1 1V10a1 1 0 0 1-1 1h-2.300zM5.500 5.500h5M5.500 8h3",
  compare: "M8 1.500v13M6 3.500H2.500v9H6M10 3.500h3.500v9H10",
  target: "M8 1.5v3M8 11.5v3M1.5 8h3M11.5 8h3M8 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8Z",
  trash: "M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.5 9h6l.5-9M6.8 7v4M9.2 7v4",
  sun: "M8 10.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM8 1.5v1.5M8 13v1.5M1.5 8H3M13 8h1.5M3.4 3.4l1 1M11.6 11.6l1 1M3.4 12.6l1-1M11.6 4.4l1-1",
  moon: "M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5Z",
  screen: "M2 3h12v8H2zM6 13.5h4",
  link: "M6.5 9.5 9.5 6.5M7 4.5 8.8 2.7a3 3 0 0 1 4.5 4.5L11.5 9M9 11.5l-1.8 1.8a3 3 0 0 1-4.5-4.5L4.5 7",
  plus: "M8 3v10M3 8h10",
  minus: "M3 8h10",
  people: "M6 7.5a2.3 2.3 0 1 0 0-4.6 2.3 2.3 0 0 0 0 4.6ZM1.8 13a4.2 4.2 0 0 1 8.4 0M10.5 3.2a2.3 2.3 0 0 1 0 4.2M11.5 9.2A4.2 4.2 0 0 1 14.2 13",
  down: "M8 3v10M3.5 8.5 8 13l4.5-4.5",
  palette: "M8 2a6 6 0 1 0 0 12c1.2 0 1.6-.8 1.2-1.7-.5-1.2.2-2.3 1.5-2.3H12a2 2 0 0 0 2-2C14 4.500 11.300 2 8 2M5 8h.01M6.500 5h.01M10 5h.01",
  filter: "M2.5 3.5h11L9.5 8.5v4l-3 1v-5z",
  history: "M2.5 8a5.5 5.5 0 1 0 1.8-4.1L2.5 5.5M2.5 2.5v3h3M8 5v3.2l2 1.3",
  download: "M8 2.5v8M4.5 7.5 8 11l3.5-3.5M3 13.5h10",
  upload: "M8 11V3M4.5 6.5 8 3l3.5 3.5M3 13.5h10",
  table: "M2.5 3h11v10h-11zM2.5 6.5h11M6.5 6.5V13",
  print: "M4.5 6V2.5h7V6M4.5 11.5h-2V6h11v5.5h-2M4.5 9.5h7v4h-7z",
  focus: "M2.5 5.5v-3h3M10.5 2.5h3v3M13.5 10.5v3h-3M5.5 13.5h-3v-3",
  select: "M2.5 2.5h2M7 2.5h2M11.5 2.5h2v2M13.5 7v2M13.5 11.5v2h-2M9 13.5H7M4.5 13.5h-2v-2M2.5 9V7M2.5 4.5v-2",
  lasso: "M8 10.5c-3.3 0-6-1.7-6-3.9S4.7 2.8 8 2.8s6 1.7 6 3.8-2.7 3.9-6 3.9ZM5 9.8c-1.6.4-1.9 2.4-.2 2.6 1.5.1 1.6 1.8-.3 2.1",
  polygon: "M3 5.5 9 2.5l4.5 5-3 6h-6z",
  line: "M2.5 12.5 6 5l4 5 3.5-6.5",
  ruler: "m2.5 10.5 8-8 3 3-8 8zM5 8l1.5 1.5M7.5 5.5 9 7",
  play: "M5 3v10l8-5z",
  pause: "M5.5 3.5v9M10.5 3.5v9",
  search: "M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM10.5 10.5 14 14",
  pin: "M8 14.5S3 10 3 6.5a5 5 0 0 1 10 0C13 10 8 14.5 8 14.5ZM8 8.2a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4Z",
  map: "m1.5 4 4.3-1.5 4.4 1.5 4.3-1.5v9.5l-4.3 1.5L5.8 12l-4.3 1.5zM5.8 2.5V12M10.2 4v9.5",
  bookmark: "M4 2.5h8v11L8 10.5l-4 3z",
  home: "M2.5 7.5 8 2.5l5.5 5M4 6.5v7h8v-7M6.8 13.5v-4h2.4v4",
  share: "M8 10V2.5M5 5l3-3 3 3M4.5 7.5h-1v6h9v-6h-1",
  chart: "M2.5 13.5h11M4.5 11V7.5M8 11V3.5M11.5 11V6",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class={`icon icon-${name}`} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}

interface IconButtonProps {
  icon: IconName;
  label: string;
  onClick: (event: MouseEvent) => void;
  disabled?: boolean;
  pressed?: boolean;
  class?: string;
}

export function IconButton({ icon, label, onClick, disabled, pressed, class: extra }: IconButtonProps) {
  return (
    <button
      type="button" class={`icon-button ${extra ?? ""}`} aria-label={label} title={label} onClick={onClick}
      disabled={disabled} {...(pressed !== undefined && { "aria-pressed": pressed })}
    >
      <Icon name={icon} />
    </button>
  );
}
