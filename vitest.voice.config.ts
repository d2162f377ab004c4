import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

// The tests in which people and agents talk, in the time that talking takes: `npm run test:voice`.
export default defineConfig({
  ...base,
  test: { ...base.test, include: ['{apps,packages,infra}/*/src/**/*.voice.test.ts'], exclude: [] },
});
