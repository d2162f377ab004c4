import type { ZodApp } from '../zod-app.ts';
import { listProblems } from './route-problems.ts';

export interface DocumentOptions {
  readonly version: string;
  readonly isServed: boolean;
}

/** Completes the schemas of the routes that are registered after this call, and serves the OpenAPI document of these routes. */
export async function describeRoutes(
  app: ZodApp,
  { version, isServed }: DocumentOptions,
): Promise<void> {
  app.addHook('onRoute', listProblems);
  if (!isServed) return;
  // Loaded here, because an API without the document needs none of the libraries that make it.
  const { serveDocument } = await import('./serve-document.ts');
  await serveDocument(app, version);
}
