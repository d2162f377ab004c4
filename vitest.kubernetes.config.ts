import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

// The tests that need a Kubernetes cluster: `npm run test:kubernetes`.
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ['{{apps,packages,infra}/*/src,bench/src}/**/*.kubernetes.test.ts'],
    exclude: [],
    // Some tests restart the API server that all tests share.
    fileParallelism: false,
    globalSetup: ['infra/local/testing/kubernetes-setup.ts'],
    // A pod without any work takes two seconds, a pod whose image is missing sixteen.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
