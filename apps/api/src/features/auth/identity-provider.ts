import type { Identity } from '@session/db';
import { AppError, hasCode } from '@session/kit';
import type { Configuration, IDToken, UserInfoResponse } from 'openid-client';
import type { ProviderConfig } from '../../config-provider.ts';
import { Email } from './auth-schema.ts';

/** A sign-in makes at most four requests to the provider, and has 30 s for all of them. */
const TIMEOUT_SECONDS = 5;
const KEPT_MS = 3_600_000;
const CLOCK_SECONDS = 60;
const NAME_LENGTH = 100;
const SUBJECT = /^[\x20-\x7e]{1,255}$/;

export interface SignInSecrets {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

export interface ProvidedPerson extends Pick<Identity, 'identity'> {
  /** Undefined unless the provider has verified the address. */
  readonly email: string | undefined;
  readonly name: string;
}

interface Kept {
  readonly configuration: Promise<Configuration>;
  readonly until: number;
}

interface IdentityProviderTiming {
  readonly timeoutSeconds?: number;
  readonly now?: () => number;
}

/**
 * The code flow of OpenID Connect with PKCE. Loads `openid-client` at the first sign-in, and the provider's description
 * at the first sign-in and whenever it is older than `KEPT_MS`.
 */
export class IdentityProvider {
  readonly #config: ProviderConfig;
  readonly #timeoutSeconds: number;
  readonly #now: () => number;
  #kept: Kept | undefined;

  constructor(config: ProviderConfig, timing: IdentityProviderTiming = {}) {
    this.#config = config;
    this.#timeoutSeconds = timing.timeoutSeconds ?? TIMEOUT_SECONDS;
    this.#now = timing.now ?? (() => performance.now());
  }

  get name(): string {
    return new URL(this.#config.issuer).host;
  }

  /**
   * Returns the URL of the provider's sign-in page, and the secrets that `end` needs. Throws `provider_unavailable`.
   */
  async begin(): Promise<{ readonly url: string; readonly secrets: SignInSecrets }> {
    const configuration = await this.#configuration();
    const oidc = await import('openid-client');
    const verifier = oidc.randomPKCECodeVerifier();
    const secrets = { state: oidc.randomState(), nonce: oidc.randomNonce(), verifier };
    const url = oidc.buildAuthorizationUrl(configuration, {
      redirect_uri: this.#config.redirectUrl,
      scope: 'openid email profile',
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state: secrets.state,
      nonce: secrets.nonce,
    });
    return { url: url.href, secrets };
  }

  /** Returns who has signed in. Throws `sign_in_failed` and `provider_unavailable`. */
  async end(
    { state: expectedState, nonce: expectedNonce, verifier: pkceCodeVerifier }: SignInSecrets,
    { code, state }: { readonly code: string; readonly state: string },
  ): Promise<ProvidedPerson> {
    const configuration = await this.#configuration();
    const oidc = await import('openid-client');
    const { issuer } = configuration.serverMetadata();
    const answer = new URL(this.#config.redirectUrl);
    // There is only one provider, so the name in its answer (RFC 9207) adds nothing.
    answer.search = String(new URLSearchParams({ code, state, iss: issuer }));
    const checks = { expectedState, expectedNonce, pkceCodeVerifier };
    try {
      const tokens = await oidc.authorizationCodeGrant(configuration, answer, checks);
      const claims = tokens.claims();
      if (!claims) throw new AppError('sign_in_failed', 'the provider sent no id_token');
      // Many providers return the address, or whether it is verified, only in the user info.
      const isComplete = claims['email'] !== undefined && claims['email_verified'] !== undefined;
      const { access_token: token } = tokens;
      return personOf(
        claims,
        isComplete ? claims : await oidc.fetchUserInfo(configuration, token, claims.sub),
      );
    } catch (error) {
      throw failureOf(error);
    }
  }

  async #configuration(): Promise<Configuration> {
    let kept = this.#kept;
    if (!kept || this.#now() >= kept.until) {
      kept = { configuration: this.#discover(), until: this.#now() + KEPT_MS };
      this.#kept = kept;
    }
    try {
      return await kept.configuration;
    } catch (cause) {
      if (this.#kept === kept) this.#kept = undefined;
      const message = 'the description of the identity provider could not be read';
      throw new AppError('provider_unavailable', message, { cause });
    }
  }

  async #discover(): Promise<Configuration> {
    const oidc = await import('openid-client');
    const { issuer, clientId, clientSecret } = this.#config;
    const [basic, post] = [
      oidc.ClientSecretBasic(clientSecret),
      oidc.ClientSecretPost(clientSecret),
    ];
    const metadata = { [oidc.clockTolerance]: CLOCK_SECONDS };
    // The configuration allows http only on loopback.
    const isInsecure = issuer.startsWith('http:');
    return await oidc.discovery(
      new URL(issuer),
      clientId,
      metadata,
      (server, ...request) => {
        const methods = server.token_endpoint_auth_methods_supported;
        const isBasic = methods?.includes('client_secret_basic') ?? true;
        return (isBasic ? basic : post)(server, ...request);
      },
      {
        timeout: this.#timeoutSeconds,
        execute: [
          oidc.enableNonRepudiationChecks,
          ...(isInsecure ? [oidc.allowInsecureRequests] : []),
        ],
      },
    );
  }
}

function personOf({ iss, sub }: IDToken, about: IDToken | UserInfoResponse): ProvidedPerson {
  if (!SUBJECT.test(sub)) throw new AppError('sign_in_failed', 'the subject is not valid');
  const { data: email } = Email.safeParse(about['email']);
  const names = [about['name'], about['preferred_username'], email?.split('@')[0], sub];
  return {
    identity: `${iss} ${sub}`,
    email: about['email_verified'] === true ? email : undefined,
    name: names.map(asName).find(Boolean) ?? '',
  };
}

function asName(value: unknown): string {
  if (typeof value !== 'string') return '';
  return value.replaceAll('\0', '').trim().slice(0, NAME_LENGTH).toWellFormed().trim();
}

const AWAY = [
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
];

const MISCONFIGURED =
  'The identity provider refuses this service. Ask the operator of this service to check its log, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET.';

function failureOf(cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  if (cause instanceof TypeError || AWAY.some((code) => hasCode(cause, code))) {
    return new AppError('provider_unavailable', 'the identity provider gave no answer', { cause });
  }
  const refusal = refusalOf(cause);
  if (refusal === 'invalid_client' || refusal === 'unauthorized_client') {
    const message = `the identity provider refused this service: ${refusal}`;
    return new AppError('provider_unavailable', message, { cause, detail: MISCONFIGURED });
  }
  const message = `the sign-in was refused${refusal ? ` by the provider: ${refusal}` : ''}`;
  return new AppError('sign_in_failed', message, { cause });
}

/** Returns the code with which the provider refused a request (RFC 6749, section 5.2). */
function refusalOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  // With this error, the provider refuses how this service authenticated itself.
  if (error.name === 'WWWAuthenticateChallengeError') return 'invalid_client';
  const isRefusal = error.name === 'ResponseBodyError' && 'error' in error;
  return isRefusal && typeof error.error === 'string' ? error.error : undefined;
}
