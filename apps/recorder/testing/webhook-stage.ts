import { createHash, createHmac } from 'node:crypto';
import { Readiness } from '@session/kit';
import { type MediaServer, openWebhooks } from '@session/media';
import { freePort, startMediaServer } from '@session/testing';
import { Registry } from 'prom-client';
import { serveRecorder } from '../src/process/health.ts';
import type { Recorder } from '../src/recorder.ts';
import { logTo } from './log-to.ts';
import { TestStage } from './stage.ts';

/** A stage with a media server of its own, which sends its webhooks to one recorder. */
export interface WebhookStage extends AsyncDisposable {
  readonly stage: TestStage;
  receiveWebhooks(recorder: Recorder): Promise<void>;
  /** Posts a webhook as another media server with the same key would, and returns the status of the answer. */
  post(webhook: object): Promise<number>;
}

/** Opens a stage whose media server sends webhooks. Until `receiveWebhooks` is called, nobody receives them. */
export async function openWebhookStage(): Promise<WebhookStage> {
  await using stack = new AsyncDisposableStack();
  const address = { host: '127.0.0.1', port: await freePort('127.0.0.1') };
  const webhookUrl = `http://${address.host}:${address.port}/webhooks/media`;
  const media = stack.use(await startMediaServer({ webhookUrls: [webhookUrl] }));
  const stage = stack.use(await TestStage.open(media));
  const owned = stack.move();
  return {
    stage,
    async receiveWebhooks(recorder) {
      const served = {
        log: logTo(),
        health: () => recorder.health(),
        metrics: new Registry(),
        readiness: new Readiness(),
        countWebhook: () => {},
        readWebhook: openWebhooks([media]),
        receiveWebhook: recorder.receiveWebhook.bind(recorder),
      };
      owned.use(await serveRecorder(address, served));
    },
    async post(webhook) {
      const body = JSON.stringify(webhook);
      const headers = { authorization: signatureOf(body, media) };
      return (await fetch(webhookUrl, { method: 'POST', body, headers })).status;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function signatureOf(body: string, { apiKey, apiSecret }: MediaServer): string {
  const sha256 = createHash('sha256').update(body).digest('base64');
  const claims = { iss: apiKey, sha256, exp: Math.floor(Date.now() / 1000) + 60 };
  const parts = [{ alg: 'HS256', typ: 'JWT' }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  const signature = createHmac('sha256', apiSecret).update(parts.join('.')).digest('base64url');
  return [...parts, signature].join('.');
}
