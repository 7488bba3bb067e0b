import { expect, it } from 'vitest';
import { executedWithoutKeys } from '../../lib/local/page/browser/comparison.ts';
import { chooseLanguage } from '../../lib/local/page/browser/language.ts';
import type { Trip } from '../../lib/local/page/wire.ts';

const trip = (id: string, change: Partial<Trip> & { readonly status?: number }): Trip => ({
  id,
  run: 'run',
  tap: 1,
  number: 1,
  state: 'delivered',
  arrived: true,
  amount: 1,
  address: 'address',
  answeredAt: 0,
  answer: { status: change.status ?? 201, code: null, retryAfterSeconds: null, replayed: false },
  ...change,
});

const executed = (...trips: Trip[]) => executedWithoutKeys(trips).map(({ id }) => id);

it('a service without keys executes every attempt that arrives, until its answer does', () => {
  expect(executed(trip('lost', { state: 'lost-after' }), trip('answered', {}))).toEqual(['lost', 'answered']);
  expect(executed(trip('gave up', { state: 'abandoned' }), trip('answered', {}))).toEqual(['gave up', 'answered']);
});

it('it executes nothing that did not arrive', () => {
  const lost = trip('lost', { state: 'lost-before', arrived: false, answer: null });
  expect(executed(lost, trip('answered', {}))).toEqual(['answered']);
});

it('a client that has an answer stops, and a crash is none', () => {
  expect(executed(trip('crash', { status: 500 }), trip('in progress', { status: 409 }), trip('replay', {}))).toEqual([
    'crash',
    'in progress',
  ]);
});

it('every press is a client of its own', () => {
  expect(executed(trip('a', { tap: 1 }), trip('b', { tap: 2 }))).toEqual(['a', 'b']);
});

it('the page speaks the first of the visitor’s languages that it knows', () => {
  expect(chooseLanguage(['de-DE', 'uz-Cyrl-UZ', 'ru'])).toBe('uz');
  expect(chooseLanguage(['RU-ru'])).toBe('ru');
  expect(chooseLanguage(['de'])).toBe('en');
});
