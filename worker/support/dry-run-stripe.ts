/**
 * Stripe for a dry run: the client, a group of its resources such as `checkout`, or a resource. What only
 * reads is called, and a call that would change an object is answered with the object as it is. Creations are
 * refused, so that a dry run cannot make anything.
 */
export function withoutWrites<Part extends object>(part: Part): Part {
  return new Proxy(part, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value === 'function') return isRead(name) ? value.bind(target) : unchanged(target, name)
      return typeof value === 'object' && value !== null ? withoutWrites(value) : value
    },
  })
}

function isRead(name: string | symbol): boolean {
  return typeof name === 'symbol' || /^(list|retrieve|search|createPreview)/.test(name)
}

function unchanged(resource: object, name: string | symbol) {
  return async (id?: unknown) => {
    const retrieve: unknown = Reflect.get(resource, 'retrieve')
    if (typeof id !== 'string' || typeof retrieve !== 'function')
      throw new Error(`A dry run does not call ${String(name)} at Stripe`)
    return retrieve.call(resource, id)
  }
}
