import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { step } from '@session/kit';
import { freePort } from '@session/testing';
import { expect, test } from 'vitest';
import { startReceiver, tracesTo } from '../testing/index.ts';
import { logExports } from './log-exports.ts';
import { readTraceparent, spanIdOf } from './trace-ids.ts';
import type { ExportReport } from './traces.ts';

const run = promisify(execFile);

test('a receiver that refuses, and one that is away, are logged once and once when they work again', async () => {
  await using receiver = await startReceiver();
  await using traces = await tracesTo(receiver);
  const lines: string[] = [];
  logExports(traces, {
    info: (fields, message) => lines.push(`${JSON.stringify(fields)} ${message}`),
    warn: (fields, message) => lines.push(`${JSON.stringify(fields)} ${message}`),
  });
  const attempt = async () => {
    traces.start({ name: 'a' }).end();
    await traces.flush();
  };
  receiver.answer(403);
  for (let time = 0; time < 3; time += 1) await attempt();
  receiver.answer(200);
  for (let time = 0; time < 3; time += 1) await attempt();
  expect(lines).toEqual([
    '{"code":403,"dropped":1} dropping traces: export failed or queue full',
    '{"dropped":2} resumed exporting traces',
  ]);
});

test('while a receiver refuses and the queue is full, each span is counted as dropped, or received later', async () => {
  await using receiver = await startReceiver();
  await using traces = await tracesTo(receiver, { OTEL_BSP_MAX_QUEUE_SIZE: '10' });
  const reports: ExportReport[] = [];
  traces.observeExports((report) => reports.push(report));
  receiver.answer(403);
  let ended = 0;
  for (; ended < 1000; ended += 1) traces.start({ name: 'a' }).end();
  await expect.poll(() => reports.length).toBe(1);
  receiver.answer(200);
  const isOver = () => {
    traces.start({ name: 'a' }).end();
    ended += 1;
    return reports.length;
  };
  await expect.poll(isOver).toBe(2);
  await traces.flush();
  expect(reports.map(({ error }) => error === undefined)).toEqual([false, true]);
  const dropped = reports.reduce((sum, report) => sum + report.dropped, 0);
  expect(dropped).toBeGreaterThan(900);
  expect(receiver.spans.length + dropped).toBe(ended);
});

test('a queue that is full while exports work is reported, too', async () => {
  await using receiver = await startReceiver();
  await using traces = await tracesTo(receiver, { OTEL_BSP_MAX_QUEUE_SIZE: '1' });
  const reports: unknown[] = [];
  traces.observeExports(({ error, dropped }) => reports.push([error?.message, dropped]));
  for (let count = 0; count < 5; count += 1) traces.start({ name: 'a' }).end();
  await expect
    .poll(() => reports)
    .toEqual([
      ['the queue is full', 3],
      [undefined, 0],
    ]);
  expect(receiver.spans).toHaveLength(2);
});

test('a receiver whose address has a query gets it', async () => {
  await using receiver = await startReceiver();
  await using traces = await tracesTo({ url: `${receiver.url}/base?key=a` });
  traces.start({ name: 'a' }).end();
  await traces.flush();
  expect(receiver.paths).toEqual(['/base/v1/traces?key=a']);
});

test('while a receiver never answers, any number of ended spans takes a bounded part of the memory', async () => {
  await using receiver = await startReceiver();
  receiver.answer(undefined);
  const index = path.join(import.meta.dirname, 'index.ts');
  const script = `
    const { openTraces, readTraceConfig } = await import(${JSON.stringify(index)});
    const config = readTraceConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: ${JSON.stringify(receiver.url)} });
    const traces = await openTraces(config, { serviceName: 'a', instanceId: 'a' });
    const end = () => traces.start({ name: 'a', attributes: { text: 'a'.repeat(100) } }).end();
    const heap = () => { gc(); return process.memoryUsage().heapUsed; };
    end();
    const before = heap();
    for (let round = 0; round < 100; round += 1) {
      for (let count = 0; count < 1000; count += 1) end();
      // As at the end of each agent's start.
      if (round < 50) void traces.flush();
      await new Promise((resolve) => setImmediate(resolve));
    }
    console.log(Math.round((heap() - before) / 1e6));
    await traces[Symbol.asyncDispose]();`;
  const args = ['--conditions=@source', '--expose-gc', '--input-type=module', '-e', script];
  const { stdout } = await run(process.execPath, args, { timeout: 90_000 });
  // If all these spans waited, they would take more than 100 MB.
  expect(Number(stdout.trim())).toBeLessThan(50);
}, 120_000);

test.each(['refuses connections', 'never answers'])(
  'a process whose receiver %s ends, and spans beyond the queue are dropped',
  async (fault) => {
    await using receiver = await startReceiver();
    receiver.answer(undefined);
    const port = await freePort('127.0.0.1');
    const url = fault === 'never answers' ? receiver.url : `http://127.0.0.1:${port}`;
    const index = path.join(import.meta.dirname, 'index.ts');
    const script = `
      const { openTraces, readTraceConfig } = await import(${JSON.stringify(index)});
      const config = readTraceConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: ${JSON.stringify(url)}, OTEL_EXPORTER_OTLP_TIMEOUT: '3600000' });
      const traces = await openTraces(config, { serviceName: 'a', instanceId: 'a' });
      for (let count = 0; count < 10_000; count += 1) traces.start({ name: 'a' }).end();
      await traces[Symbol.asyncDispose]();
      console.log('ended');`;
    const args = ['--conditions=@source', '--input-type=module', '-e', script];
    // Without the bound, the process would wait for its exports, each of which may take an hour, and would be killed
    // here.
    const { stdout, stderr } = await run(process.execPath, args, { timeout: 90_000 });
    expect([stdout.trim(), stderr.trim()]).toEqual(['ended', '']);
  },
  120_000,
);

test('without an endpoint no package of OpenTelemetry is loaded', async () => {
  const index = path.join(import.meta.dirname, 'index.ts');
  const script = `
    import { registerHooks } from 'node:module';
    registerHooks({ resolve(name, context, next) {
      if (name.includes('opentelemetry')) throw new Error(name);
      return next(name, context);
    } });
    const { openTraces, readTraceConfig } = await import(${JSON.stringify(index)});
    console.log(await openTraces(readTraceConfig({}), { serviceName: 'a', instanceId: 'a' }));`;
  const args = ['--conditions=@source', '--input-type=module', '-e', script];
  const { stdout } = await run(process.execPath, args);
  expect(stdout.trim()).toBe('undefined');
});

test('steps are spans within a span alone, below each other, and a failed one says its error’s name and not its words', async () => {
  await using receiver = await startReceiver();
  await using traces = await tracesTo(receiver);
  await step('of nothing', async () => {});
  const whole = traces.start({ name: 'whole' });
  const failing = traces.within(whole, async () => {
    await step('outer', async () => {
      await step('inner', async () => {
        throw new TypeError('planted words');
      });
    });
  });
  await expect(failing).rejects.toThrow(TypeError);
  whole.end();
  await traces.within(whole, async () => await step('too late', async () => {}));
  await traces.flush();
  const spans = new Map(receiver.spans.map((span) => [span.name, span]));
  expect([...spans.keys()].toSorted()).toEqual(['inner', 'outer', 'whole']);
  expect(spans.get('inner')?.parentSpanId).toBe(spans.get('outer')?.spanId);
  expect(spans.get('outer')?.parentSpanId).toBe(spans.get('whole')?.spanId);
  expect(spans.get('inner')?.attributes).toEqual({ 'error.type': 'TypeError' });
  expect(receiver.bodies.join('\n')).not.toContain('planted');
});

test('headers reach the receiver, and a share of traces is kept by the id of the trace', async () => {
  await using receiver = await startReceiver();
  await using traces = await tracesTo(receiver, {
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20a',
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.5',
  });
  const ids = Array.from({ length: 64 }, (_, index) => ({
    traceId: (index * 4 + 1).toString(16).padStart(2, '0').repeat(4).padEnd(32, '0'),
    spanId: spanIdOf('01890a5d-ac96-774b-bcce-b302099a8057', index),
  }));
  const sampled = () =>
    ids.map((one) => readTraceparent(traces.start({ name: 'a', ids: one }).traceparent)?.isSampled);
  const first = sampled();
  expect(new Set(first)).toEqual(new Set([true, false]));
  expect(sampled()).toEqual(first);
  const kept = ids[first.indexOf(true)];
  if (kept) traces.start({ name: 'a', ids: kept }).end();
  await traces.flush();
  expect(receiver.headers[0]?.authorization).toBe('Bearer a');
});
