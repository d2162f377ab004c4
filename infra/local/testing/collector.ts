import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { interopCollector } from '@session/testing';

export interface Collector extends AsyncDisposable {
  /** The base URL at which it receives OTLP over HTTP, on loopback. */
  readonly url: string;
}

/** Starts a collector that decodes what it receives, and sends it on to `receiver` as JSON. */
export async function startCollector(receiver: { readonly url: string }): Promise<Collector> {
  const config = {
    receivers: { otlp: { protocols: { http: { endpoint: '127.0.0.1:0' } } } },
    exporters: { otlp_http: { endpoint: receiver.url, encoding: 'json', compression: 'none' } },
    service: {
      telemetry: { metrics: { level: 'none' } },
      pipelines: { traces: { receivers: ['otlp'], exporters: ['otlp_http'] } },
    },
  };
  // JSON is YAML, too.
  const args = ['--config', `yaml:${JSON.stringify(config)}`];
  const child = spawn(interopCollector(), args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const exit = once(child, 'exit');
  const address = Promise.withResolvers<string>();
  const output: string[] = [];
  createInterface(child.stderr).on('line', (line) => {
    output.push(line);
    const [, endpoint] = /Starting HTTP server.*"endpoint": "([^"]+)"/.exec(line) ?? [];
    if (endpoint !== undefined) address.resolve(endpoint);
  });
  void exit.then(() => address.reject(new Error(`the collector ended:\n${output.join('\n')}`)));
  return {
    url: `http://${await address.promise}`,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await exit;
    },
  };
}
