// SPDX-License-Identifier: Apache-2.0
// Small line drawings on a 20 x 20 grid.
import type { JSX } from "preact";
import type { Kind } from "../model/field";

const PATHS = {
  select: "M5 3l9 8-4.2.5L12.5 17l-2 1-2.7-5.6L5 15z",
  text: "M3 5.5h14v9H3zM6 8v4M4.9 8h2.2M4.9 12h2.2",
  choice: "M4 4h12v12H4zM7 10l2.2 2.3L13.4 7.5",
  signature: "M3 13.5c2.5-7 5-8.500 5.500-6.500.6 2.500-3.500 7-2 7s2.500-3.500 3.800-3.500c1 0 0 2.500 1.200 2.500s1.500-1 2.500-1M3 16.500h14",
  undo: "M8 5L4 9l4 4M4.500 9H12a4 4 0 0 1 0 8H9",
  redo: "M12 5l4 4-4 4M15.500 9H8a4 4 0 0 0 0 8h3",
  plus: "M10 4v12M4 10h12",
  minus: "M4 10h12",
  fitPage: "M5 3h10v14H5zM10 6v8M8 8l2-2 2 2M8 12l2 2 2-2",
  fitWidth: "M3 4v12M17 4v12M6 10h8M8 8l-2 2 2 2M12 8l2 2-2 2",
  eye: "M2.500 10S5.500 5 10 5s7.500 5 7.500 5-3 5-7.500 5-7.500-5-7.500-5zM10 12.200a2.200 2.200 0 1 0 0-4.400 2.200 2.200 0 0 0 0 4.400z",
  save: "M4 4h9.500L16 6.500V16H4zM7 4v4h5V4M7 16v-5h6v5",
  help: "M10 17.500a7.500 7.500 0 1 0 0-15 7.500 7.500 0 0 0 0 15zM7.900 8a2.100 2.100 0 1 1 3 1.900c-.7.300-.9.800-.9 1.600M10 13.700v.6",
  theme: "M10 3a7 7 0 1 0 0 14zM10 3a7 7 0 0 1 0 14",
  next: "M8 5l5 5-5 5",
  back: "M12 5l-5 5 5 5",
  up: "M5 12l5-5 5 5",
  down: "M5 8l5 5 5-5",
  check: "M4.500 10.500l3.500 3.500 7.500-8",
  trash: "M4 6h12M8 6V4h4v2M6 6l.7 10h6.600L14 6M8.700 9v4.500M11.300 9v4.500",
  copy: "M7 7h9v9H7zM4 13V4h9",
  grip: "M7.500 5v.01M12.500 5v.01M7.500 10v.01M12.500 10v.01M7.500 15v.01M12.500 15v.01",
  left: "M4 3v14M7 6h9v3H7zM7 12h5v3H7z",
  centre: "M10 3v14M5 6h10v3H5zM7 12h6v3H7z",
  right: "M16 3v14M4 6h9v3H4zM8 12h5v3H8z",
  top: "M3 4h14M6 7h3v9H6zM12 7h3v5h-3z",
  middle: "M3 10h14M6 5h3v10H6zM12 7h3v6h-3z",
  bottom: "M3 16h14M6 4h3v9H6zM12 8h3v5h-3z",
  across: "M3 4v12M17 4v12M8.500 6h3v8h-3z",
  down2: "M4 3h12M4 17h12M6 8.500h8v3H6z",
  width: "M3 10h14M5.500 7.500L3 10l2.500 2.500M14.500 7.500L17 10l-2.500 2.500",
  height: "M10 3v14M7.500 5.500L10 3l2.500 2.500M7.500 14.500L10 17l2.500-2.500",
  size: "M4 4h12v12H4zM7 13l6-6M9.500 7H13v3.500",
  close: "M5 5l10 10M15 5L5 15",
  pages: "M6 3h8v11H6zM4 6v11h8",
  panel: "M3 4h14v12H3zM12 4v12",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 18 }: { name: IconName; size?: number }): JSX.Element {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}

export function KindIcon({ kind, size = 16 }: { kind: Kind; size?: number }): JSX.Element {
  return <Icon name={kind} size={size} />;
}
