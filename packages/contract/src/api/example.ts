import type * as z from 'zod';

export const EXAMPLE = {
  user: '019a9f3c-5b1e-7d42-8a6f-1c2d3e4f5a6b',
  project: '019a9f3c-6c2f-7e53-9b70-2d3e4f5a6b7c',
  membership: '019a9f3c-6c30-7aa1-8c81-3e4f5a6b7c8d',
  session: '019a9f3d-7d40-7f64-ac91-4f5a6b7c8d9e',
  agent: '019a9f3d-8e51-7075-bda2-5a6b7c8d9e0f',
  message: '5f0c1f3e-2a4b-5c6d-8e7f-6b7c8d9e0f1a',
  recorder: '019a9f00-1a2b-7c3d-8e4f-7c8d9e0f1a2b',
  envTemplate: '019a9f3c-9f62-7186-8eb3-8d9e0f1a2b3c',
  planTemplate: '019a9f3c-a073-7297-9fc4-9e0f1a2b3c4d',
  agentTemplate: '019a9f3c-a184-7308-80d5-9f102b3c4d5e',
  apiKey: '019a9f3c-b184-73a8-80d5-af102b3c4d5e',
  webhook: '019a9f3c-e4b7-76db-83f8-d2435e6f7081',
  erasure: '019a9f3c-f5c8-77ec-94a9-e3546f708192',
  auditEvent: '019a9f3c-c295-74b9-81e6-b0213c4d5e6f',
  endUser: '8b1d6a52-3c7e-5f41-9a0b-d2435e6f7081',
  invitation: '019a9f3c-d3a6-75ca-92f7-c1324d5e6f70',
  at: '2026-11-21T08:00:00.000Z',
  later: '2026-11-21T08:00:04.250Z',
} as const;

export function examplesOf(shape: z.ZodType): readonly unknown[] {
  const examples = shape.meta()?.['examples'];
  return Array.isArray(examples) ? examples : [];
}
