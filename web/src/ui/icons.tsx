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
  empty: "M8 13.500a5.500 5.500 0 1 0 0-11 5.500 5.500 0 0 0 0 11ZM4.100 11.900l7.800-7.800",
  book: "M3 2.500h8a2 2 0 0 1 2 2v9H5a2 2 0 0 1-2-2zM3 11.500a2 2 0 0 1 2-2h8",
  check: "m3 8.5 3.2 3L13 4.5",
  alert: "M8 5v3.5M8 11h.01M8 1.8 14.5 13.5h-13z",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
  retry: "M13 8a5 5 0 1 1-1.6-3.7M13 2.5v3h-3",
  edit: "M10.5 3 13 5.5 5.5 13H3v-2.5z",
  grip: "M6 4h.01M6 8h.01M6 12h.01M10 4h.01M10 8h.01M10 12h.01",
  chat: "M2.5 3.5h11v7.5H8l-3 2.5V11H2.5z",
  target: "M8 1.5v3M8 11.5v3M1.5 8h3M11.5 8h3M8 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8Z",
  trash: "M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.5 9h6l.5-9M6.8 7v4M9.2 7v4",
  spark: "M8 2.5 9.4 6.6 13.5 8 9.4 9.4 8 13.5 6.6 9.4 2.5 8l4.1-1.4z",
  sun: "M8 10.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM8 1.5v1.5M8 13v1.5M1.5 8H3M13 8h1.5M3.4 3.4l1 1M11.6 11.6l1 1M3.4 12.6l1-1M11.6 4.4l1-1",
  moon: "M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5Z",
  screen: "M2 3h12v8H2zM6 13.5h4",
  link: "M6.5 9.5 9.5 6.5M7 4.5 8.8 2.7a3 3 0 0 1 4.5 4.5L11.5 9M9 11.5l-1.8 1.8a3 3 0 0 1-4.5-4.5L4.5 7",
  plus: "M8 3v10M3 8h10",
  people: "M6 7.5a2.3 2.3 0 1 0 0-4.6 2.3 2.3 0 0 0 0 4.6ZM1.8 13a4.2 4.2 0 0 1 8.4 0M10.5 3.2a2.3 2.3 0 0 1 0 4.2M11.5 9.2A4.2 4.2 0 0 1 14.2 13",
  down: "M8 3v10M3.5 8.5 8 13l4.5-4.5",
  filter: "M2.5 3.5h11L9.5 8.5v4l-3 1v-5z",
  palette: "M8 2a6 6 0 1 0 0 12c1 0 1.4-.7 1-1.5-.5-1 .2-2 1.3-2H12a2 2 0 0 0 2-2C14 4.800 11.300 2 8 2ZM5 8h.01M6.500 5h.01M10 5.200h.01",
  history: "M2.5 8a5.500 5.500 0 1 0 1.800-4.100L2.500 5.500M2.500 2.500v3h3M8 5v3.200l2 1.300",
  download: "M8 2.500v8M4.500 7.500 8 11l3.500-3.500M3 13.500h10",
  upload: "M8 11V3M4.500 6.500 8 3l3.500 3.500M3 13.500h10",
  table: "M2.5 3h11v10h-11zM2.5 6.500h11M6.500 6.500V13",
  focus: "M2.5 5.500v-3h3M10.500 2.500h3v3M13.500 10.500v3h-3M5.500 13.500h-3v-3",
  select: "M2.5 2.5h2M7 2.5h2M11.500 2.500h2v2M13.500 7v2M13.500 11.500v2h-2M9 13.500H7M4.500 13.500h-2v-2M2.500 9V7M2.500 4.500v-2",
  lasso: "M8 10.500c-3.300 0-6-1.700-6-3.900S4.700 2.800 8 2.800s6 1.700 6 3.800-2.700 3.900-6 3.900ZM5 9.800c-1.600.4-1.900 2.400-.2 2.600 1.500.1 1.600 1.800-.3 2.100",
  polygon: "M3 5.500 9 2.500l4.500 5-3 6h-6z",
  ruler: "m2.500 10.500 8-8 3 3-8 8zM5 8l1.500 1.500M7.500 5.500 9 7",
  play: "M5 3v10l8-5z",
  pause: "M5.500 3.500v9M10.500 3.500v9",
  search: "M7 11.500a4.500 4.500 0 1 0 0-9 4.500 4.500 0 0 0 0 9ZM10.500 10.500 14 14",
  pin: "M8 14.500S3 10 3 6.500a5 5 0 0 1 10 0C13 10 8 14.500 8 14.500ZM8 8.200a1.700 1.700 0 1 0 0-3.400 1.700 1.700 0 0 0 0 3.400Z",
  chart: "M2.500 13.500h11M4.500 11V7.500M8 11V3.500M11.500 11V6",
  globe: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM2 8h12M8 2c2 1.800 2.700 4 2.700 6S10 12.200 8 14c-2-1.800-2.700-4-2.700-6S6 3.800 8 2Z",
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
