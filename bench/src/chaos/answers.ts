export function saysUnavailable({ status, headers }: Response, text: string): boolean {
  const isProblem = headers.get('content-type')?.startsWith('application/problem+json') ?? false;
  return (
    status === 503 &&
    isProblem &&
    headers.has('retry-after') &&
    text.includes('"code":"unavailable"')
  );
}

export function watchingFetch(failures: string[]): typeof fetch {
  return async (...request) => {
    const answer = await fetch(...request);
    if (answer.status < 500) return answer;
    const text = await answer.clone().text();
    if (!saysUnavailable(answer, text)) failures.push(failureOf(answer, text));
    return answer;
  };
}

export function failureOf({ status, url }: Response, text: string): string {
  return `${new URL(url).pathname}: ${status} ${text.slice(0, 200)}`;
}
