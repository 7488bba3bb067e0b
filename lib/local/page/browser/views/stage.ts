import { html, nothing, type TemplateResult } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import type { Trip } from '../../wire.ts';
import { isBusy, type Journey, journeyOf, STATION } from '../journey.ts';
import { claimOf, tripsOf } from '../state.ts';
import { stationIcon } from './icons.ts';
import { fill, type Scene } from './text.ts';

/** More attempts than these are drawn closely, and their lines are only read out. */
const LANES_MAX_ROOMY = 6;

interface Lane {
  readonly trip: Trip;
  readonly journey: Journey;
}

/** Where the attempts travel. What is drawn is also said, in one line for each. */
export function stage(scene: Scene): TemplateResult {
  const { state, messages } = scene;
  const trips = tripsOf(state);
  const claim = claimOf(state);
  const lanes = trips.map((trip): Lane => ({ trip, journey: journeyOf(trip, trips, claim) }));
  return html`
    <section class="card" aria-labelledby="stage-title" id="stage">
      <h2 id="stage-title">${messages.stage.title}</h2>
      <p class="quiet">${messages.stage.lead}</p>
      <div class="stations" aria-hidden="true">
        ${messages.stage.stations.map((name, at) => station(name, at, lanes))}
      </div>
      ${
        lanes.length === 0
          ? html`<p class="empty">${messages.stage.none}</p>`
          : html`<ol class=${lanes.length > LANES_MAX_ROOMY ? 'lanes many' : 'lanes'}>${repeat(
              lanes,
              ({ trip }) => trip.id,
              (lane) => row(scene, lane),
            )}</ol>`
      }
    </section>
  `;
}

function station(name: string, at: number, lanes: readonly Lane[]): TemplateResult {
  const isBroken = at === STATION.tunnel && lanes.some(({ trip }) => trip.state.startsWith('lost'));
  const look = isBusy(at, lanes) ? 'busy' : isBroken ? 'broken' : 'idle';
  return html`<div class=${`station ${look}`}>${stationIcon(at)}<span>${name}</span></div>`;
}

function row({ messages, formats }: Scene, { trip, journey }: Lane): TemplateResult {
  const { at, reached, look } = journey;
  return html`
    <li class=${`lane ${look}`} data-state=${trip.state} data-status=${trip.answer?.status ?? ''}>
      <div class=${`track at-${at} reached-${reached}`} aria-hidden="true">
        <i class="trail"></i>
        <b class="token">${tokenText(trip)}</b>
      </div>
      <p>
        <span class="number">${fill(messages.stage.attempt, { n: formats.number(trip.number) })}</span>
        ${description(messages, trip)} ${retryAfter(messages, formats, trip)}
      </p>
    </li>
  `;
}

function tokenText({ state, number, answer }: Trip): string {
  if (state === 'lost-before' || state === 'lost-after') return '✕';
  if (state === 'abandoned') return '…';
  return `${answer?.status ?? number}${answer?.replayed ? '↺' : ''}`;
}

function description({ stage }: Scene['messages'], { state, answer }: Trip): TemplateResult | string {
  switch (state) {
    case 'outbound':
      return stage.outbound;
    case 'service':
      return stage.service;
    case 'returning':
      return stage.returning;
    case 'lost-before':
      return stage.lostBefore;
    case 'lost-after':
      return fill(stage.lostAfter, { status: String(answer?.status ?? '') });
    case 'abandoned':
      return stage.abandoned;
    case 'delivered':
      return html`<b>${answer?.status}</b> ${answerText(stage.answers, answer)}`;
    default:
      return state satisfies never;
  }
}

function answerText(answers: Scene['messages']['stage']['answers'], answer: Trip['answer']): string {
  if (answer?.replayed) return answers.replayed;
  switch (answer?.code) {
    case 'payment-declined':
      return answers.declined;
    case 'idempotency-key-in-progress':
      return answers.inProgress;
    case 'outcome-pending':
      return answers.pending;
    case 'idempotency-key-reused':
      return answers.reused;
    case 'idempotency-key-missing':
      return answers.keyMissing;
    default:
      if (answer?.status === 201) return answers.paid;
      return answer?.status === 500 ? answers.crashed : answers.other;
  }
}

function retryAfter({ stage }: Scene['messages'], formats: Scene['formats'], { state, answer }: Trip) {
  const seconds = answer?.retryAfterSeconds;
  if (state !== 'delivered' || seconds === null || seconds === undefined) return nothing;
  return html`<small class="tag">${fill(stage.retryAfter, { n: formats.number(seconds) })}</small>`;
}
