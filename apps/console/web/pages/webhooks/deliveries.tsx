import type { Webhook, WebhookDelivery } from '@session/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useService } from '../../service/service.ts';
import { Badge } from '../../ui/badge.tsx';
import { CardList } from '../../ui/card-list.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { NextPage } from '../../ui/next-page.tsx';
import { CardSkeleton } from '../../ui/skeleton.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { absoluteText, momentText } from '../../ui/time-text.ts';
import { deliveriesQuery } from './webhook-queries.ts';
import { attemptText } from './webhook-texts.ts';

export function Deliveries({ webhook: { id, projectId } }: { readonly webhook: Webhook }) {
  const { client } = useService();
  const list = useInfiniteQuery(deliveriesQuery(client, projectId, id));
  const { data, error, refetch } = list;
  const deliveries = data?.pages.flatMap(({ items }) => items);
  return (
    <section aria-labelledby="deliveries" className="grid gap-3">
      <h2 id="deliveries" className="font-strong text-title">
        Deliveries
      </h2>
      <Loaded
        query={{ data: deliveries, error, refetch }}
        label="Deliveries"
        skeleton={<CardSkeleton rows={2} />}
        isQuiet
      >
        {(shown) =>
          shown.length === 0 ? (
            <p className="text-ink-2">Nothing was sent in the last seven days.</p>
          ) : (
            <CardList as="ol">
              {shown.map((delivery) => (
                <DeliveryRow key={delivery.id} delivery={delivery} />
              ))}
            </CardList>
          )
        }
      </Loaded>
      <NextPage list={list}>Show earlier deliveries</NextPage>
    </section>
  );
}

function DeliveryRow({ delivery }: { readonly delivery: WebhookDelivery }) {
  const { type, sessionId, position, attempts, failure, response, lastAt } = delivery;
  const time = Date.parse(lastAt);
  return (
    <li className="grid gap-1 px-4 py-3 text-control">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Badge tone={failure === null ? 'ok' : 'warning'}>
          {failure === null ? 'Delivered' : 'Failed'}
        </Badge>
        <span className="min-w-0 font-medium wrap-anywhere">{type}</span>
        {sessionId === null ? null : (
          <TextLink to="/sessions/$sessionId" params={{ sessionId }} search={{ at: position }}>
            message
          </TextLink>
        )}
        <time
          dateTime={lastAt}
          title={absoluteText(time)}
          className="ms-auto text-ink-3 tabular-nums whitespace-nowrap"
        >
          {momentText(time)}
        </time>
      </div>
      <span className="text-ink-2 wrap-anywhere">
        {attemptText(delivery)}
        {attempts > 1 ? `, attempt ${attempts}` : ''}
      </span>
      {failure === null ? null : <Response text={response} />}
    </li>
  );
}

export function Response({ text }: { readonly text: string }) {
  return text === '' ? null : (
    <pre
      dir="auto"
      className="min-w-0 rounded-control bg-sunken p-2 font-mono text-ink-2 text-label whitespace-pre-wrap wrap-anywhere"
    >
      {text}
    </pre>
  );
}
