import { html, type TemplateResult } from 'lit-html';

/** Drawn on a grid of 24, in the text's colour. */
const icon = (path: string): TemplateResult => html`
  <svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" focusable="false"><path d=${path} /></svg>
`;

const STATIONS: readonly string[] = [
  // Phone
  'M8 3h8a1.5 1.5 0 0 1 1.5 1.5v15A1.5 1.5 0 0 1 16 21H8a1.5 1.5 0 0 1-1.5-1.5v-15A1.5 1.5 0 0 1 8 3zM11 18h2',
  // Tunnel
  'M3 20v-6a9 9 0 0 1 18 0v6M8 20v-6a4 4 0 0 1 8 0v6M2 20h20',
  // API
  'M8 4c-3 0-1 7-4 8 3 1 1 8 4 8M16 4c3 0 1 7 4 8-3 1-1 8-4 8',
  // Function
  'M6 20 12.5 8.5M7 5h2c2 0 2.5 1 3.5 3.5l3 8c.8 2 1.5 3.5 3.5 3.5',
  // Key store
  'M14.5 13a4.5 4.5 0 1 0-4.2-2.8L4 16.5V20h3.500v-2.500h2.500V15l1.800-2.300',
  // Provider
  'M3 9.500 12 4l9 5.500zM5.500 10v7M10 10v7M14 10v7M18.500 10v7M3 20h18',
];

export const stationIcon = (at: number): TemplateResult => icon(STATIONS[at] ?? '');

/** The ticket with its tick. */
export const mark = (): TemplateResult => html`
  <svg class="mark" viewBox="0 0 32 32" width="36" height="36" aria-hidden="true" focusable="false">
    <path class="paper" d="M4 7h24v6a3 3 0 0 0 0 6v6H4v-6a3 3 0 0 0 0-6z" />
    <path class="tick" d="m11 16 4 4 7-8" />
  </svg>
`;
