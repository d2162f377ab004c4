const NAMES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY'];

/**
 * Returns the operator's proxy variables, in both spellings, and the variable that makes Node use them. No environment
 * template can set them. Values may contain passwords.
 */
export function proxyVariables(env: NodeJS.ProcessEnv): Record<string, string> {
  const names = [...NAMES, ...NAMES.map((name) => name.toLowerCase()), 'NODE_USE_ENV_PROXY'];
  return pick(env, names);
}

export function pick(
  variables: NodeJS.ProcessEnv,
  names: readonly string[],
): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = variables[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Returns the passwords in the addresses of proxies, both as written and decoded. */
export function proxyPasswords(variables: Readonly<Record<string, string>>): string[] {
  return Object.values(variables).flatMap((value) => {
    const [, password = ''] = /^\w+:\/\/[^/@]*?:([^/]*)@/.exec(value) ?? [];
    return password === '' ? [] : [password, decoded(password)];
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
