import type { Account, Settings, State } from '../state.ts'

const defaults: Account = {
  id: 'acct_sandbox',
  trial_total: 'zero',
  terms_url: null,
  tax: 'active',
}

export function accountOf(store: State): Account {
  return { ...defaults, ...settingsOf(store).account }
}

const untouched: Settings = {
  id: 'settings',
  clock_offset_ms: 0,
  delivery_rules: [],
  unlisted_events: [],
  account: {},
}

export function settingsOf(store: State): Settings {
  return { ...untouched, ...store.settings.get('settings') }
}

export function changeSettings(store: State, changes: Partial<Omit<Settings, 'id'>>): Settings {
  return store.settings.put({ ...settingsOf(store), ...changes })
}
