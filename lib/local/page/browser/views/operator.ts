import { html, nothing, type TemplateResult } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import type { ClaimView } from '../../wire.ts';
import type { Page } from './app.ts';

/** Enough of a hash to tell it from its neighbours. */
const ADDRESS_LENGTH = 10;

/** What somebody on call wants to know: what is open, since when, and who settled the rest. */
export function operator(page: Page): TemplateResult {
  const { state, messages, actions } = page;
  const open = state.claims.filter(({ status }) => status !== 'done');
  const finished = state.claims.filter(({ status }) => status === 'done');
  const { operator } = messages;
  return html`
    <div class="operator">
      <div class="lead">
        <div>
          <h1>${operator.title}</h1>
          <p class="quiet">${operator.lead}</p>
        </div>
        <button type="button" class="secondary" @click=${actions.reconcile}>${operator.reconcile}</button>
      </div>
      ${list(page, 'open', operator.open, operator.noneOpen, open)}
      ${list(page, 'finished', operator.finished, operator.noneFinished, finished)}
    </div>
  `;
}

function list(page: Page, id: string, title: string, none: string, claims: readonly ClaimView[]): TemplateResult {
  const { formats } = page;
  return html`
    <section class="card" aria-labelledby=${`${id}-title`} data-list=${id}>
      <h2 id=${`${id}-title`}>${title} <span class="badge">${formats.number(claims.length)}</span></h2>
      ${
        claims.length === 0
          ? html`<p class="empty">${none}</p>`
          : html`<ul class="claims">${repeat(
              claims,
              ({ address }) => address,
              (claim) => row(page, claim),
            )}</ul>`
      }
    </section>
  `;
}

function row({ state, messages, formats }: Page, claim: ClaimView): TemplateResult {
  const { operator, ticket, settlers } = messages;
  const fact = (name: string, value: unknown) =>
    value === null ? nothing : html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
  const leaseMs = claim.leaseUntil === null ? null : claim.leaseUntil - state.now;
  return html`
    <li class="claim" data-status=${claim.status}>
      <p>
        <span class=${`state ${claim.status}`}>${ticket.states[claim.status]}</span>
        <code>${claim.address.slice(0, ADDRESS_LENGTH)}…</code>
        ${claim.quarantine === null ? nothing : html`<strong>${ticket.review}</strong>`}
      </p>
      <dl>
        ${fact(operator.order, claim.orderId === null ? null : html`<code>${claim.orderId}</code>`)}
        ${fact(operator.age, formats.age(state.now - claim.createdAt))}
        ${fact(operator.lease, leaseMs === null ? null : formats.seconds(leaseMs))}
        ${fact(operator.looks, claim.status === 'done' ? null : formats.number(claim.attempts))}
        ${fact(operator.answer, claim.answered === null ? null : `${claim.answered}`)}
        ${fact(operator.by, claim.settledBy === null ? null : (settlers[claim.settledBy] ?? claim.settledBy))}
      </dl>
    </li>
  `;
}
