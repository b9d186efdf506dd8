/** Shared by all files of one worker (`isolate: false`): a change affects the next file too. */
export interface SharedState {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly folder: string
  /** The values of the global object; those with a getter are not asked. */
  readonly globals: ReadonlyMap<PropertyKey, unknown>
  /** How many listen to each event of the process. */
  readonly listeners: ReadonlyMap<PropertyKey, number>
}

/** on-exit-leak-free has one listener for all loggers of pino, from the first one on. */
function isOurs({ name }: { readonly name: string }): boolean {
  return name !== 'onExit' && name !== 'onBeforeExit'
}

export function readSharedState(): SharedState {
  const descriptors = Object.getOwnPropertyDescriptors(globalThis) as Record<PropertyKey, PropertyDescriptor>
  return {
    environment: { ...process.env },
    folder: process.cwd(),
    globals: new Map(
      Reflect.ownKeys(descriptors).flatMap((key) => {
        const descriptor = descriptors[key]
        return descriptor && 'value' in descriptor ? [[key, descriptor.value] as const] : []
      }),
    ),
    listeners: new Map(
      process
        .eventNames()
        .map((name) => [name, process.listeners(name as NodeJS.Signals).filter(isOurs).length]),
    ),
  }
}

export function findLeftBehind(before: SharedState, after: SharedState): string[] {
  return [
    ...changedKeys(Object.entries(before.environment), Object.entries(after.environment)).map(
      (name) => `process.env.${name} was changed: give it back, or hand the value over as an argument.`,
    ),
    ...(before.folder === after.folder
      ? []
      : [`The working folder is ${after.folder}, and was ${before.folder}.`]),
    ...changedKeys(before.globals, after.globals).map(
      (name) => `globalThis.${name} was replaced: vi.unstubAllGlobals() or vi.useRealTimers() gives it back.`,
    ),
    ...added(before.listeners, after.listeners).map(
      ([name, count]) =>
        `${count} more listen to the process’s event ${String(name)}: take the listener off.`,
    ),
  ]
}

function changedKeys<Key extends PropertyKey>(
  before: Iterable<readonly [Key, unknown]>,
  after: Iterable<readonly [Key, unknown]>,
): string[] {
  const [was, is] = [new Map(before), new Map(after)]
  const names = new Set([...was.keys(), ...is.keys()])
  return [...names]
    .filter((name) => was.has(name) !== is.has(name) || !Object.is(was.get(name), is.get(name)))
    .map(String)
}

function added<Key>(
  before: ReadonlyMap<Key, number>,
  after: ReadonlyMap<Key, number>,
): (readonly [Key, number])[] {
  return [...after].flatMap(([name, count]) => {
    const more = count - (before.get(name) ?? 0)
    return more > 0 ? [[name, more] as const] : []
  })
}
