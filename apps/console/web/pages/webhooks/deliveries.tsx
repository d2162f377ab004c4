import type { Webhook, WebhookDelivery } from '@session/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { refreshProjectList } from '../../service/queries.ts';
import { useService } from '../../service/service.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { PagedList } from '../../ui/paged-list.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { absoluteText, momentText } from '../../ui/time-text.ts';
import { toast } from '../../ui/toast.tsx';
import { useSubmit } from '../../ui/use-submit.ts';
import { deliveriesQuery } from './webhook-queries.ts';
import { attemptText } from './webhook-texts.ts';

export function Deliveries({ webhook }: { readonly webhook: Webhook }) {
  const { client } = useService();
  const { id, projectId } = webhook;
  const list = useInfiniteQuery(deliveriesQuery(client, projectId, id));
  return (
    <section aria-labelledby="deliveries" className="grid gap-3">
      <h2 id="deliveries" className="font-strong text-title">
        Deliveries
      </h2>
      <PagedList
        list={list}
        label="Deliveries"
        empty={<p className="text-ink-2">Nothing was sent in the last seven days.</p>}
      >
        {(delivery) => <DeliveryRow key={delivery.id} webhook={webhook} delivery={delivery} />}
      </PagedList>
    </section>
  );
}

interface DeliveryProps {
  readonly webhook: Webhook;
  readonly delivery: WebhookDelivery;
}

function DeliveryRow({ webhook, delivery }: DeliveryProps) {
  const { type, sessionId, position, attempts, failure, response, lastAt } = delivery;
  const time = Date.parse(lastAt);
  const rowId = useId();
  return (
    <li className="grid gap-1 px-4 py-3 text-control">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Badge tone={failure === null ? 'ok' : 'warning'}>
          {failure === null ? 'Delivered' : 'Failed'}
        </Badge>
        <span id={`${rowId}type`} className="min-w-0 font-medium wrap-anywhere">
          {type}
        </span>
        {sessionId === null ? null : (
          <TextLink to="/sessions/$sessionId" params={{ sessionId }} search={{ at: position }}>
            message
          </TextLink>
        )}
        <time
          id={`${rowId}time`}
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
      <SendAgain webhook={webhook} delivery={delivery} describedBy={`${rowId}type ${rowId}time`} />
    </li>
  );
}

interface SendAgainProps extends DeliveryProps {
  readonly describedBy: string;
}

function SendAgain({ webhook: { id, projectId }, delivery, describedBy }: SendAgainProps) {
  const { client, queries } = useService();
  const { isBusy, error, submit } = useSubmit();
  const redeliver = async () => {
    const attempt = await client.webhooks.redeliver(id, delivery.id);
    const outcome = attempt.failure === null ? 'Sent again' : 'Sent again, and failed';
    toast(`${outcome}: ${attemptText(attempt)}.`);
    void refreshProjectList(queries, projectId, 'webhooks');
  };
  return (
    <div className="grid justify-items-start gap-2">
      <Button
        size="small"
        isBusy={isBusy}
        aria-describedby={describedBy}
        onClick={() => submit(redeliver)}
      >
        Send this again
      </Button>
      <ErrorNotice error={error} />
    </div>
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
