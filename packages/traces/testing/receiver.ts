import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { serve } from '@session/testing/serve';
import * as z from 'zod';

const Value = z.looseObject({
  stringValue: z.string().optional(),
  intValue: z.union([z.number(), z.string()]).optional(),
  boolValue: z.boolean().optional(),
});
const Attributes = z
  .array(z.object({ key: z.string(), value: Value }))
  .default([])
  .transform((list) =>
    Object.fromEntries(
      list.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? value.boolValue]),
    ),
  );
const SpanShape = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  kind: z.number(),
  startTimeUnixNano: z.coerce.bigint(),
  endTimeUnixNano: z.coerce.bigint(),
  attributes: Attributes,
  status: z.looseObject({ code: z.number().optional() }).default({}),
});
const Export = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: Attributes }),
      scopeSpans: z.array(z.object({ spans: z.array(SpanShape) })),
    }),
  ),
});

export type ReceivedSpan = z.output<typeof SpanShape> & {
  readonly resource: Readonly<Record<string, unknown>>;
};

export interface Receiver extends AsyncDisposable {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  readonly bodies: readonly string[];
  readonly headers: readonly IncomingMessage['headers'][];
  readonly paths: readonly string[];
  /** From now on each export gets this status; undefined: none gets an answer. */
  answer(status: number | undefined): void;
  /** Returns the received spans of a trace, the earliest first. */
  trace(traceId: string): ReceivedSpan[];
}

/** Receives OTLP over HTTP, as JSON. */
export async function startReceiver(): Promise<Receiver> {
  const spans: ReceivedSpan[] = [];
  const bodies: string[] = [];
  const headers: IncomingMessage['headers'][] = [];
  const paths: string[] = [];
  let status: number | undefined = 200;
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request);
    headers.push(request.headers);
    paths.push(request.url ?? '');
    if (status === undefined) return;
    if (status === 200) {
      bodies.push(body);
      spans.push(...spansIn(body));
    }
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  };
  const server = await serve((request, response) => void receive(request, response));
  return {
    ...server,
    spans,
    bodies,
    headers,
    paths,
    answer(next) {
      status = next;
    },
    trace: (traceId) =>
      spans
        .filter((span) => span.traceId === traceId)
        .toSorted((a, b) => Number(a.startTimeUnixNano - b.startTimeUnixNano)),
  };
}

function spansIn(body: string): ReceivedSpan[] {
  const { resourceSpans } = Export.parse(JSON.parse(body));
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({ ...span, resource: resource.attributes })),
    ),
  );
}
