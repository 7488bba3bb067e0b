import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // The rigs beside the tests run by hand so far: their sizes are still to be fitted to what CI has time for.
    exclude: ['test/readme/generated/**', 'test/{kill,model,peer}/**'],
    pool: 'forks',
    // Several files start real processes; two at a time is what two cores carry without false time-outs.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    coverage: {
      provider: 'v8',
      include: ['lib/**/*.ts', 'functions/**/*.ts'],
      reporter: ['text-summary', 'html'],
      thresholds: {
        'lib/idempotency/**': { 100: true },
        'lib/stores/**': { 100: true },
        'lib/middy/**': { 100: true },
        'lib/client/**': { 100: true },
      },
    },
  },
});
