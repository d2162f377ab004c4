import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

// The tests with other frameworks, and with Prometheus: `npm run test:interop`.
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ['{apps,packages,infra}/*/src/**/*.interop.test.ts'],
    exclude: [],
    globalSetup: ['infra/local/testing/interop-setup.ts', 'infra/local/testing/setup.ts'],
  },
});
