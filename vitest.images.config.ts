import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

// The tests that build the images and run them as containers: `npm run test:images`.
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ['infra/local/src/images/**/*.images.test.ts'],
    exclude: [],
    // Building and unpacking take all cores.
    fileParallelism: false,
    globalSetup: ['infra/local/testing/images-setup.ts'],
    testTimeout: 600_000,
    // Removing a storage of 3 GB takes a busy disk minutes.
    hookTimeout: 600_000,
  },
});
