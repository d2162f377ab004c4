import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

// The tests in a real Chromium, on a whole stack: `npm run test:browser`.
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: [
      'apps/console/journeys/**/*.browser.test.ts',
      'packages/client/src/**/*.browser.test.ts',
      'infra/pack/src/**/*.browser.test.ts',
    ],
    exclude: [],
    globalSetup: ['infra/local/testing/browser-setup.ts'],
    // Each worker has a Chromium of its own.
    maxWorkers: 2,
    // Whole conversations with several faults take half a minute on an idle machine.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
