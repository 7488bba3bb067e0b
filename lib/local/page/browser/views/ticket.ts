import { html, nothing, type TemplateResult } from 'lit-html';
import type { ClaimView } from '../../wire.ts';
import { SCENARIOS } from '../scenarios.ts';
import { claimOf } from '../state.ts';
import { fill, type Scene } from './text.ts';

const STATES: readonly ClaimView['status'][] = ['claimed', 'executing', 'unknown', 'done'];

/** A long key says no more than its beginning and its end. */
const shortKey = (key: string): string => `${key.slice(0, 8)}…${key.slice(-4)}`;

/** The key as the numbered ticket that it is, with its state. */
export function ticket(scene: Scene): TemplateResult {
  const { state, messages } = scene;
  const { run } = state;
  const claim = claimOf(state);
  const isKeyless = run !== null && SCENARIOS[run.scenario].isKeyless === true;
  return html`
    <section class="ticket" aria-labelledby="ticket-title" data-state=${claim?.status ?? ''}>
      <div class="stub">
        <h2 id="ticket-title">${messages.ticket.title}</h2>
        <p class="serial">${run?.key ? html`<code title=${run.key}>${shortKey(run.key)}</code>` : '—'}</p>
      </div>
      <div class="body">
        <ol class="states">${STATES.map((status) => step(messages, status, claim))}</ol>
        <p>
          ${claim ? messages.ticket.meanings[claim.status] : isKeyless ? messages.ticket.none : messages.ticket.fresh}
          ${claim ? detail(scene, claim) : nothing}
        </p>
      </div>
    </section>
  `;
}

function step({ ticket }: Scene['messages'], status: ClaimView['status'], claim: ClaimView | undefined) {
  const isCurrent = claim?.status === status;
  const isPassed = claim !== undefined && !isCurrent && STATES.indexOf(status) < STATES.indexOf(claim.status);
  // A claim may be settled without ever having been in doubt.
  const look = isCurrent ? 'current' : isPassed && status !== 'unknown' ? 'passed' : 'ahead';
  return html`<li class=${`step ${status} ${look}`} aria-current=${isCurrent ? 'step' : nothing}>
    ${ticket.states[status]}
  </li>`;
}

function detail({ state, messages, formats }: Scene, claim: ClaimView): string | typeof nothing {
  const { ticket, settlers } = messages;
  if (claim.settledBy !== null) return fill(ticket.settledBy, { who: settlers[claim.settledBy] ?? claim.settledBy });
  if (claim.quarantine !== null) return ticket.review;
  const leftMs = (claim.leaseUntil ?? 0) - state.now;
  return leftMs > 0 ? fill(ticket.lease, { time: formats.seconds(leftMs) }) : nothing;
}
