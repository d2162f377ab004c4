import { openWebhooks } from '@session/media';
import { freePort, startMediaServer, type TestMediaServer } from '@session/testing';
import { Registry } from 'prom-client';
import { serveRecorder } from '../src/process/health.ts';
import type { Recorder } from '../src/recorder.ts';
import { TestStage } from './stage.ts';

/** A stage with a media server of its own, which sends its webhooks to one recorder. */
export interface WebhookStage extends AsyncDisposable {
  readonly stage: TestStage;
  readonly media: TestMediaServer;
  /** The address to which the media server sends its webhooks. */
  readonly webhookUrl: string;
  /** Makes this recorder receive the webhooks from now on. */
  receiveWebhooks(recorder: Recorder): Promise<void>;
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
    media,
    webhookUrl,
    async receiveWebhooks(recorder) {
      const served = {
        log: { warn: () => {} },
        health: () => recorder.health(),
        metrics: new Registry(),
        readWebhook: openWebhooks(media),
        receiveWebhook: recorder.receiveWebhook.bind(recorder),
      };
      owned.use(await serveRecorder(address, served));
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
