const NAMES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'];

/**
 * Returns the proxy variables, in both spellings that Node reads; none without the operator's `NODE_USE_ENV_PROXY=1`,
 * without which Node ignores them too. No environment template can set these names.
 */
export function proxyVariables(
  variables: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  if (variables['NODE_USE_ENV_PROXY'] !== '1') return {};
  const found: Record<string, string> = {};
  for (const name of NAMES.flatMap((upper) => [upper, upper.toLowerCase()])) {
    const value = variables[name];
    if (value) found[name] = value;
  }
  return found;
}
