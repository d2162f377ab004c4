import * as db from '@session/db';
import type { Vault } from '../../features/env-templates/vault.ts';
import { eventOf, isWanted, typeOf } from '../../features/webhooks/webhook-event.ts';
import type { Log } from '../../http/log-stream.ts';
import type { Metrics } from '../../http/metrics/metrics.ts';
import type { WebhookAnswer, WebhookSender } from '../../webhooks/webhook-request.ts';
import { secretsOf } from '../../webhooks/webhook-secrets.ts';

export interface WebhookTiming {
  readonly everyMs: number;
  readonly gapMs: number;
  /**
   * More than twice as long as a request may take, because requests begin in the first half of the lease, and another
   * process takes the session when the lease ends.
   */
  readonly leaseMs: number;
  /** The waits before the second attempt, the third attempt and so on; the last wait repeats. */
  readonly waitsMs: readonly [number, ...number[]];
  readonly horizonMs: number;
  /** How long a webhook rests while all its requests fail: the first time, and at most. */
  readonly rest: { readonly firstMs: number; readonly longestMs: number };
}

export interface SendingOptions {
  readonly database: db.DatabaseAccess;
  readonly vault: Pick<Vault, 'open'>;
  readonly sender: Pick<WebhookSender, 'send'>;
  readonly metrics: Pick<Metrics, 'webhookClaimsLost' | 'webhookDeliveries' | 'webhooksGivenUp'>;
  readonly log: Log;
  readonly timing: WebhookTiming;
  readonly random: () => number;
  /** Once this aborts, no further request begins. */
  readonly stop: AbortSignal;
  /** Once this aborts, running requests end too. */
  readonly cut: AbortSignal;
  readonly onAnswer: (webhookId: string, durationMs: number) => void;
}

const VERSIONS_PER_TURN = 20;

interface ReadState extends Pick<db.FollowedVersions, 'isDeleted' | 'session'> {
  /** The position of the version that is sent next. This version was read before, and may be erased meanwhile. */
  readonly next: string | null;
}

/** A session that this process has claimed for a webhook. Sends its new messages in order, until one fails. */
export class ClaimedSession {
  readonly #options: SendingOptions;
  readonly #claim: db.FollowerClaim;
  readonly #target: db.WebhookTarget;
  #leasedAt: number;
  #after: string;
  #isFailing: boolean;
  #attempts: number;

  /** `leasedAt`: a time before the claim, by `performance.now()`. */
  constructor(
    options: SendingOptions,
    claim: db.FollowerClaim,
    target: db.WebhookTarget,
    leasedAt: number,
  ) {
    this.#options = options;
    this.#claim = claim;
    this.#target = target;
    this.#leasedAt = leasedAt;
    this.#after = claim.position;
    this.#isFailing = target.isFailing;
    this.#attempts = claim.attempts;
  }

  /**
   * Sends up to `VERSIONS_PER_TURN` new versions. Afterwards this process no longer has the session: it was given back,
   * given up or forgotten, or the claim was lost. If the database fails, throws, and the claim lasts until its lease
   * expires.
   */
  async send(): Promise<void> {
    const { database, stop } = this.#options;
    const { sessionId, position } = this.#claim;
    const found = await db.followSession(database, {
      sessionId,
      position,
      limit: VERSIONS_PER_TURN,
    });
    if (!found) {
      await db.forgetSessionOfFollower(database, this.#claim, null);
      return;
    }
    const { session, isDeleted } = found;
    const wanted = found.versions.filter((version) => isWanted(this.#target, typeOf(version)));
    for (const [index, version] of wanted.entries()) {
      if (stop.aborted) return await this.#giveBack(this.#after);
      const state = { session, isDeleted, next: erasablePosition(wanted[index + 1]) };
      if (!(await this.#isStillOurs()) || !(await this.#sendVersion(version, state))) return;
    }
    // A deleted session is forgotten after its last event, unless a further notice has arrived meanwhile.
    const isAll = isDeleted && !found.hasMore;
    if (isAll && (await db.forgetSessionOfFollower(database, this.#claim, found.end))) return;
    await this.#giveBack(found.end);
  }

  async #giveBack(position: string): Promise<void> {
    const { database } = this.#options;
    this.#noteLost(await db.advanceFollower(database, this.#claim, position, 0));
  }

  /** Renews the lease when half of it is over, so that no request begins after another process may have claimed the session. */
  async #isStillOurs(): Promise<boolean> {
    const { database, timing } = this.#options;
    const now = performance.now();
    if (now - this.#leasedAt < timing.leaseMs / 2) return true;
    this.#leasedAt = now;
    return this.#noteLost(
      await db.advanceFollower(database, this.#claim, this.#after, timing.leaseMs),
    );
  }

  #noteLost(isOurs: boolean): boolean {
    if (!isOurs) this.#options.metrics.webhookClaimsLost.inc();
    return isOurs;
  }

  /**
   * Sends the version, and returns whether the next one may be sent. If not, this process no longer has the session: it
   * was given back, or another process has claimed it.
   */
  async #sendVersion(
    version: db.FollowedVersion,
    { session, isDeleted, next }: ReadState,
  ): Promise<boolean> {
    const { cut, database, metrics, onAnswer, timing } = this.#options;
    const { sessionId } = this.#claim;
    const place = { sessionId, session, after: this.#after };
    const { id, type, body } = eventOf(this.#target, place, version);
    const answer = await this.#request(id, body);
    if (cut.aborted && answer.failure !== null) {
      // The shutdown of this process cut the request, which does not count as an attempt.
      await this.#giveBack(this.#after);
      return false;
    }
    const { retryAfterMs: _wait, ...outcome } = answer;
    onAnswer(this.#target.id, answer.durationMs);
    metrics.webhookDeliveries.inc({ result: answer.failure === null ? 'taken' : 'failed' });
    const attempt = { seenAt: version.seenAt, id, type, ...outcome };
    if (answer.failure !== null) {
      await this.#noteFailure(attempt, answer);
      return false;
    }
    if (this.#isFailing) await db.noteFollowerSuccess(database, this.#target.id);
    this.#isFailing = false;
    this.#leasedAt = performance.now();
    this.#after = version.seenAt;
    this.#attempts = 0;
    const { leaseMs } = timing;
    const { updatedAt } = this.#target;
    const state = { leaseMs, updatedAt, isDeleted, next };
    const isUnchanged = await db.noteTaken(database, this.#claim, attempt, state);
    if (isUnchanged === false) await this.#giveBack(this.#after);
    else this.#noteLost(isUnchanged !== undefined);
    return isUnchanged === true;
  }

  async #request(id: string, body: string): Promise<WebhookAnswer> {
    const { cut, sender, vault } = this.#options;
    const secrets = secretsOf(vault.open(this.#target), this.#target);
    return await sender.send({ url: this.#target.url, id, body, secrets }, cut);
  }

  async #noteFailure(
    attempt: db.DeliveryAttempt,
    { statusCode, failure, retryAfterMs }: WebhookAnswer,
  ): Promise<void> {
    const { database, log, metrics, random, timing } = this.#options;
    const { waitsMs, horizonMs, rest } = timing;
    const { sessionId } = this.#claim;
    const webhook = this.#target.id;
    const usualMs = (waitsMs[this.#attempts] ?? waitsMs.at(-1) ?? 0) * (0.8 + 0.4 * random());
    const waitMs = Math.round(
      retryAfterMs === undefined ? usualMs : Math.max(retryAfterMs, waitsMs[0]),
    );
    if (statusCode === 410) await this.#disable(failure);
    const isDead = await db.noteRefused(database, this.#claim, attempt, { waitMs, horizonMs });
    if (isDead === undefined) {
      this.#noteLost(false);
      return;
    }
    if (isDead) {
      metrics.webhooksGivenUp.inc({ what: 'session' });
      log.warn({ webhook, sessionId, failure }, 'gave up sending session to webhook');
      return;
    }
    if (await db.noteFollowerFailure(database, webhook, { ...rest, horizonMs })) {
      await this.#disable(failure);
    }
  }

  async #disable(failure: string | null): Promise<void> {
    const { database, log, metrics } = this.#options;
    const { id } = this.#target;
    // Does not disable a webhook whose URL has changed, because the former URL failed.
    if (await db.disableFailingWebhook(database, this.#target, failure)) {
      metrics.webhooksGivenUp.inc({ what: 'webhook' });
      log.warn({ webhook: id, failure }, 'disabled webhook');
    }
  }
}

/**
 * Returns the position to check before the version is sent; null without a version, and for an erased version, which
 * has no words.
 */
function erasablePosition(version: db.FollowedVersion | undefined): string | null {
  return version && typeOf(version) !== 'message.erased' ? version.seenAt : null;
}
