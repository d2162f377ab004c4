import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

// The drill of every alert, on stacks that a real Prometheus watches: `npm run test:drills`.
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ['{apps,packages,infra}/*/src/**/*.drills.test.ts'],
    exclude: [],
    // Each drill has a stack of its own, and mostly waits.
    maxConcurrency: 2,
  },
});
