import type { OpenSpan, Traces } from '@session/traces';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ZodApp } from '../zod-app.ts';

/** Begins a span for each request, in the caller's trace. The span contains the route's pattern, never the path. */
export function traceRequests(app: ZodApp, traces: Traces | undefined): void {
  if (!traces) return;
  const spans = new WeakMap<FastifyRequest, OpenSpan>();
  app.addHook('onRequest', (request, reply, done) => {
    const span = traces.start(spanOf(request));
    spans.set(request, span);
    // `onResponse` is not called for a request that its client gives up.
    reply.raw.once('close', () => end(span, reply));
    traces.within(span, done);
  });
  // Enters the span again, because the hooks after the reading of a body run outside of it.
  app.addHook('preValidation', (request, _, done) => {
    const span = spans.get(request);
    if (span) traces.within(span, done);
    else done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const span = spans.get(request);
    if (span) end(span, reply);
    done();
  });
}

/** Follows https://opentelemetry.io/docs/specs/semconv/http/http-spans/, without attributes that repeat a client's words. */
function spanOf({ method, protocol, headers: { traceparent }, routeOptions }: FastifyRequest) {
  const { url: route } = routeOptions;
  // A request that matches no route can have any word as its method.
  const known = route === undefined ? '_OTHER' : method;
  return {
    name: route === undefined ? 'HTTP' : `${method} ${route}`,
    kind: 'server',
    parent: typeof traceparent === 'string' ? traceparent : null,
    attributes: {
      'http.request.method': known,
      // A proxy may forward the client's claim of a scheme.
      'url.scheme': protocol === 'https' ? protocol : 'http',
      ...(route !== undefined && { 'http.route': route }),
    },
  } as const;
}

function end(span: OpenSpan, { statusCode, raw }: FastifyReply): void {
  if (!span.isRecording) return;
  if (raw.headersSent) {
    span.set({ 'http.response.status_code': statusCode });
    if (statusCode >= 500) span.fail(String(statusCode));
  }
  span.end();
}
