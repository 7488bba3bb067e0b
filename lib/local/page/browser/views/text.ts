import type { Formats } from '../format.ts';
import type { Messages } from '../messages/messages.ts';
import type { State } from '../state.ts';

/** What every part of the page is drawn from. */
export interface Scene {
  readonly state: State;
  readonly messages: Messages;
  readonly formats: Formats;
}

export const fill = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
