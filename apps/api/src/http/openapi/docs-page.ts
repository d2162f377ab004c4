import swaggerUi from '@fastify/swagger-ui';
import type { ZodApp } from '../zod-app.ts';

// The page loads nothing from another host, and has no inline script.
const CONTENT_SECURITY_POLICY = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': ["'self'", 'data:'],
  'connect-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
};

export async function showDocs(app: ZodApp): Promise<void> {
  await app.register(async (page) => {
    page.addHook('onRoute', (route) => {
      route.config = { ...route.config, public: true };
    });
    await page.register(swaggerUi, {
      routePrefix: '/docs',
      staticCSP: CONTENT_SECURITY_POLICY,
      theme: { title: 'Conversation Session Service' },
      uiConfig: {
        // Without the bar that asks for the URL of another document.
        layout: 'BaseLayout',
        docExpansion: 'list',
        displayRequestDuration: true,
        // A validator would send the URL of the document to another host.
        validatorUrl: null,
      },
    });
  });
}
