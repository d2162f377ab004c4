import { hash } from 'node:crypto';
import scalar from '@scalar/fastify-api-reference';
import type { ZodApp } from '../zod-app.ts';

const INLINE_SCRIPT = /<script type="text\/javascript">(.*?)<\/script>/s;

export async function showDocs(app: ZodApp): Promise<void> {
  await app.register(async (page) => {
    page.addHook('onRoute', (route) => {
      route.config = { ...route.config, public: true };
    });
    page.addHook('onSend', async (_request, reply, payload) => {
      const [, script] = INLINE_SCRIPT.exec(typeof payload === 'string' ? payload : '') ?? [];
      void reply.header('content-security-policy', contentSecurityPolicy(script));
    });
    await page.register(scalar, {
      routePrefix: '/docs',
      configuration: {
        pageTitle: 'Conversation Session Service',
        defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
        authentication: { preferredSecurityScheme: 'bearer' },
        // These would send requests to hosts of Scalar's maker.
        withDefaultFonts: false,
        telemetry: false,
        hideClientButton: true,
        showDeveloperTools: 'never',
        agent: { disabled: true },
        mcp: { disabled: true },
      },
    });
  });
}

function contentSecurityPolicy(inlineScript = ''): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'sha256-${hash('sha256', inlineScript, 'base64')}'`,
    // The page creates style elements at run time.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
