import { spawnSync } from 'node:child_process';

/** Returns the end of the name of a test that needs Prometheus' `promtool`: empty, or the reason why the test is skipped. */
export function missingPromtool(): string {
  const isInstalled = spawnSync('promtool', ['--version']).status === 0;
  return isInstalled ? '' : ' (skipped: promtool is not installed, which comes with Prometheus)';
}

/** Returns what `promtool check metrics` says about the names and units in `text`, the answer of `/metrics`, a line each. */
export function lintMetrics(text: string): string[] {
  const { stderr, stdout } = spawnSync('promtool', ['check', 'metrics'], {
    input: text,
    encoding: 'utf8',
  });
  return `${stdout}${stderr}`.split('\n').filter((line) => line !== '');
}
