import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

// The tests with the real speech server: `npm run test:speech`.
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ['{apps,infra}/*/src/**/*.speech.test.ts'],
    exclude: [],
    globalSetup: ['infra/local/testing/speech-setup.ts'],
  },
});
