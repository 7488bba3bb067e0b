import { html, nothing, type TemplateResult } from 'lit-html';
import { SCENARIOS } from '../scenarios.ts';
import { waitingUntil } from '../state.ts';
import { fill, type Scene } from './text.ts';

/** From here on a dead function's lease is longer than anybody likes to watch. */
const SLOW_TIMEOUT_MS = 10_000;

/** A lease lasts as long as the function may run, and then some. */
const LEASE_MARGIN_MS = 5000;

/** One sentence on where the payment stands; read out when it changes. */
export function statusLine(scene: Scene): TemplateResult {
  const { state, messages } = scene;
  return html`
    <div class="status">
      ${state.isResumed ? html`<p class="banner resumed">${messages.status.resumed}</p>` : nothing}
      <p role="status" class=${lookOf(state)} data-phase=${state.phase.kind}>${sentence(scene)}</p>
      ${waiting(scene)}
    </div>
  `;
}

function lookOf({ phase }: Scene['state']): string {
  if (phase.kind === 'answered') return phase.status === 201 ? 'good' : 'refused';
  return phase.kind === 'unknown' ? 'wait' : '';
}

function sentence({ state, messages }: Scene): string {
  const { status } = messages;
  const { phase, run } = state;
  switch (phase.kind) {
    case 'ready':
      return status.ready;
    case 'paying':
      return status.paying;
    case 'unknown':
      return status.unknown;
    case 'answered':
      if (phase.status === 201) return status.paid;
      if (phase.status === 402) return status.declined;
      if (phase.status === 400 && run !== null && SCENARIOS[run.scenario].isKeyless) return status.keyless;
      return fill(status.refused, { status: String(phase.status) });
    default:
      return phase satisfies never;
  }
}

/** Not read out: it changes every second. */
function waiting({ state, messages, formats }: Scene): TemplateResult | typeof nothing {
  const until = waitingUntil(state);
  if (until === undefined || until < state.now) return nothing;
  const timeoutMs = state.timing?.functionTimeoutMs ?? 0;
  const hint =
    timeoutMs > SLOW_TIMEOUT_MS
      ? html`<p class="quiet">
          ${fill(messages.status.slowSettings, { time: formats.seconds(timeoutMs + LEASE_MARGIN_MS) })}
        </p>`
      : nothing;
  return html`<p>${fill(messages.status.waiting, { time: formats.seconds(until - state.now) })}</p>${hint}`;
}
