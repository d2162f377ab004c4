import type { LookupFunction } from 'node:net';
import type { Mask } from '@session/kit/mask';
import { mayConnect } from '@session/kit/open-networks';
import { HttpExchange } from '../model/http-exchange.ts';
import type { ToolSettings } from './tool-settings.ts';

export interface ExchangeOptions {
  readonly lookup?: LookupFunction;
}

export interface ToolContext {
  readonly exchange: ToolExchange;
  readonly mask: Mask;
}

/** Sends requests over https to public addresses, and to the networks that the operator opened. No redirect leaves the origin. */
export class ToolExchange implements Disposable {
  readonly #exchanges: Readonly<Record<string, HttpExchange>>;

  constructor({ networks, proxies }: ToolSettings, { lookup }: ExchangeOptions) {
    const exchange = (protocol: 'http:' | 'https:') =>
      new HttpExchange({
        variable: 'the tool',
        proxies,
        isRefused: (host) => !mayConnect(host, networks, protocol),
        refusesUnknown: protocol === 'http:',
        lookup,
      });
    this.#exchanges = { 'https:': exchange('https:'), 'http:': exchange('http:') };
  }

  for({ protocol }: URL): HttpExchange | undefined {
    return this.#exchanges[protocol];
  }

  [Symbol.dispose](): void {
    for (const exchange of Object.values(this.#exchanges)) exchange[Symbol.dispose]();
  }
}
