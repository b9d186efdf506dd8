import type { WebhookEvent as Payload } from '@clerk/backend/webhooks'
import { Webhook } from 'svix'
import { type PostResult, post } from '../../kit/outbox.ts'
import { signingKey } from '../entities/signing-key.ts'
import type { Service } from '../service.ts'
import type { Settings } from '../settings.ts'
import type { EventSubjects, Session, WebhookEvent } from '../state.ts'
import {
  backendInvitation,
  backendMembership,
  backendOrganization,
  deletedOrganization,
} from './organization.ts'
import { backendSession } from './session.ts'
import { backendUser } from './user.ts'

const TIMEOUT_MS = 15_000

// Several types share one shape in the library, so the union has to be split.
type DataOf<Type, Event = Payload> = Event extends { type: infer Types; data: infer Data }
  ? Type extends Types
    ? Data
    : never
  : never

const renderers: {
  [Type in keyof EventSubjects]: (service: Service, subject: EventSubjects[Type]) => DataOf<Type>
} = {
  'user.created': (_service, user) => backendUser(user),
  'user.updated': (_service, user) => backendUser(user),
  'user.deleted': (_service, { id, external_id }) => ({
    object: 'user',
    id,
    deleted: true,
    ...(external_id ? { external_id } : {}),
  }),
  'organization.created': (service, organization) => backendOrganization(service, organization),
  'organization.updated': (service, organization) => backendOrganization(service, organization),
  'organization.deleted': (_service, organization) => deletedOrganization(organization),
  'organizationMembership.created': backendMembership,
  'organizationMembership.updated': backendMembership,
  'organizationMembership.deleted': backendMembership,
  'organizationInvitation.created': backendInvitation,
  'organizationInvitation.revoked': backendInvitation,
  'organizationInvitation.accepted': (service, { invitation, user }) => ({
    ...backendInvitation(service, invitation),
    status: 'accepted' as const,
    user_id: user.id,
  }),
  'session.created': sessionWithUser,
  'session.ended': sessionWithUser,
  'session.removed': sessionWithUser,
  'session.revoked': sessionWithUser,
}

export function renderEvent<Type extends keyof EventSubjects>(
  service: Service,
  { type, subject, timestamp }: { type: Type; subject: EventSubjects[Type]; timestamp: number },
): object {
  return {
    object: 'event',
    type,
    data: renderers[type](service, subject),
    timestamp,
    instance_id: signingKey(service).kid,
    event_attributes: { http_request: { client_ip: '127.0.0.1', user_agent: 'sandbox' } },
  }
}

/** One signed copy of an event, as Svix sends it for Clerk; null when there is no receiver. */
export function postEvent(
  { webhookUrl, webhookSecret }: Settings,
  event: WebhookEvent,
  signal: AbortSignal,
): Promise<PostResult> | null {
  if (!webhookUrl) return null
  const body = JSON.stringify(event.payload)
  const at = new Date()
  return post({
    url: webhookUrl,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Svix-Webhooks/1.99 (sandbox)',
      'svix-id': event.id,
      'svix-timestamp': String(Math.floor(at.getTime() / 1000)),
      'svix-signature': new Webhook(webhookSecret).sign(event.id, at, body),
    },
    body,
    timeoutMs: TIMEOUT_MS,
    signal,
  })
}

function sessionWithUser(service: Service, session: Session) {
  const user = service.store.users.get(session.user_id)
  return {
    ...backendSession(service, session),
    user: user ? backendUser(user) : null,
  } as DataOf<'session.created'>
}
