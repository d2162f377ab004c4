import type { Login } from '@session/contract';
import type { UserRow } from '@session/db';
import type { ZodApp } from '../../http/zod-app.ts';

export function loginOf(app: ZodApp, user: UserRow & { readonly tokenVersion: number }): Login {
  const { id, email, name, createdAt, tokenVersion: v } = user;
  return { user: { id, email, name, createdAt }, token: app.jwt.sign({ sub: id, v }) };
}
