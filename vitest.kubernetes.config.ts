import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

// The tests that need a Kubernetes cluster: `npm run test:kubernetes`.
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ['{apps,packages,infra}/*/src/**/*.kubernetes.test.ts'],
    exclude: [],
    // Some restart the API server of all.
    fileParallelism: false,
    globalSetup: ['infra/local/testing/kubernetes-setup.ts'],
    // A pod that has nothing to do takes two seconds, one whose image is not there sixteen.
    testTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
