import { Collection } from './collection.ts'
import type { Mail } from './entities/email-address.ts'
import type { WebhookEvent } from './entities/event.ts'
import type { OrganizationInvitation } from './entities/invitation.ts'
import type { OrganizationMembership } from './entities/membership.ts'
import type { Organization } from './entities/organization.ts'
import type { Picture } from './entities/picture.ts'
import type { Client, Session } from './entities/session.ts'
import type { SignIn } from './entities/sign-in.ts'
import type { SignUp } from './entities/sign-up.ts'
import { createSigningKey, type SigningKey } from './entities/signing-key.ts'
import type { User } from './entities/user.ts'
import { StateFile } from './state-file.ts'

const VERSION = 1

/** All that the stand-in knows. Held in memory, kept in one file, so that an open page survives a restart. */
export class Store {
  readonly users = new Collection<User>()
  readonly organizations = new Collection<Organization>()
  readonly memberships = new Collection<OrganizationMembership>()
  readonly invitations = new Collection<OrganizationInvitation>()
  readonly clients = new Collection<Client>()
  readonly sessions = new Collection<Session>()
  readonly signIns = new Collection<SignIn>()
  readonly signUps = new Collection<SignUp>()
  readonly events = new Collection<WebhookEvent>()
  readonly mails = new Collection<Mail>()
  readonly pictures = new Collection<Picture>()
  readonly signingKey: SigningKey
  readonly isNew: boolean
  readonly #file: StateFile | null

  private constructor(file: StateFile | null, signingKey: SigningKey, isNew: boolean) {
    this.#file = file
    this.signingKey = signingKey
    this.isNew = isNew
  }

  static async open(path: string | null): Promise<Store> {
    const file = path === null ? null : new StateFile(path)
    const state = (await file?.read()) as State | null | undefined
    if (!state) return new Store(file, createSigningKey(), true)
    if (state.version !== VERSION) {
      throw new Error(`${path} was written by another version of the sandbox. Delete it to start afresh.`)
    }
    const store = new Store(file, state.signing_key, false)
    for (const [name, collection] of Object.entries(store.#collections())) {
      ;(collection as Collection<{ id: string }>).load(state.rows[name] ?? [])
    }
    return store
  }

  /** Resolves when everything changed so far is on disk: an answer given after it survives `kill -9`. */
  async save(): Promise<void> {
    await this.#file?.write(() => this.#serialize())
  }

  clear(): void {
    for (const collection of Object.values(this.#collections())) collection.clear()
  }

  #serialize(): string {
    const collections = Object.entries(this.#collections())
    const rows = Object.fromEntries(collections.map(([name, collection]) => [name, collection.toArray()]))
    return JSON.stringify({ version: VERSION, signing_key: this.signingKey, rows } satisfies State)
  }

  #collections() {
    return {
      users: this.users,
      organizations: this.organizations,
      memberships: this.memberships,
      invitations: this.invitations,
      clients: this.clients,
      sessions: this.sessions,
      sign_ins: this.signIns,
      sign_ups: this.signUps,
      events: this.events,
      mails: this.mails,
      pictures: this.pictures,
    }
  }
}

type State = { version: number; signing_key: SigningKey; rows: Record<string, { id: string }[]> }
