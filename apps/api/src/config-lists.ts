import * as z from 'zod';

/** Returns the shape of a list of origins. */
export function origins() {
  const error = 'origins are needed, with commas between them: https://console.example.org';
  return z
    .string()
    .transform((list) => list.split(',').map((origin) => origin.trim()))
    .refine((list) => list.every((origin) => URL.parse(origin)?.origin === origin), { error });
}

/** Returns the shape of a list of addresses and networks. */
export function proxies() {
  const one = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]);
  const error = 'addresses or networks are needed, with commas between them: 10.0.0.0/8,::1';
  return z
    .string()
    .transform((list) => list.split(',').map((proxy) => proxy.trim()))
    .refine((list) => list.every((proxy) => one.safeParse(proxy).success), { error });
}

/** Returns the shape of a list of networks. */
export function networks() {
  const one = z.union([z.cidrv4(), z.cidrv6()]);
  const error = 'networks are needed, with commas between them: 10.20.0.0/16,::1/128';
  return z
    .string()
    .transform((list) => list.split(',').map((network) => network.trim()))
    .refine((list) => list.every((network) => one.safeParse(network).success), { error });
}
