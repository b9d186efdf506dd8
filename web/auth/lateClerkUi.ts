import type { ClerkProvider } from '@clerk/clerk-react'
import { clerkUIScriptUrl } from '@clerk/clerk-react/internal'
import type { ComponentProps } from 'react'
import type { WebConfig } from '../../schema/api/catalogue.ts'

type Provided = NonNullable<ComponentProps<typeof ClerkProvider>['ui']>['ClerkUI']
type ClerkUiConstructor = Exclude<NonNullable<Provided>, Promise<unknown>>
type ClerkUi = InstanceType<ClerkUiConstructor>
type Given = ConstructorParameters<ClerkUiConstructor>
type Controls = Awaited<ReturnType<ClerkUi['ensureMounted']>>

/**
 * Clerk's components, whose 300 kB are loaded when the first of them is shown. Clerk's provider would load
 * them before it says who is signed in, which every page waits for. This is what `ui` of the provider takes
 * (`ClerkUIConstructor` in @clerk/shared).
 */
export function lateClerkUi(clerk: WebConfig['clerk'], onFailure: () => void): ClerkUiConstructor {
  return class LateClerkUi implements ClerkUi {
    static readonly version = 'late'
    readonly version = 'late'
    readonly #given: Given
    #mounted: Promise<Controls> | undefined

    constructor(...given: Given) {
      this.#given = given
    }

    /** Answers controls at once, which load the components when one is to be shown. */
    async ensureMounted(options?: { preloadHint?: string }): Promise<Controls> {
      const call = async <Name extends keyof Controls>(name: Name, given: unknown[]) => {
        // The provider repeats its options, with which the components are made, before there are any.
        if (name === 'updateProps' && !this.#mounted) return
        const controls = await this.#mount(options)
        return Reflect.apply(controls[name] as () => unknown, controls, given)
      }
      return new Proxy({} as Controls, {
        // A promise would ask it for `then`.
        get: (_controls, name) =>
          name === 'then' ? undefined : (...given: unknown[]) => call(name as keyof Controls, given),
      })
    }

    #mount(options?: { preloadHint?: string }): Promise<Controls> {
      this.#mounted ??= loadScript(clerk)
        .then((Ui) => new Ui(...this.#given).ensureMounted(options))
        .catch((error) => {
          // Tried again with the next component.
          this.#mounted = undefined
          onFailure()
          throw error
        })
      return this.#mounted
    }
  }
}

/** As long as Clerk's loader waits for its scripts. */
const patience_ms = 15_000

/** The script leaves its class in the window, where Clerk's loader finds it too (`loadClerkUIScript`). */
function loadScript({ publishable_key, proxy_url }: WebConfig['clerk']): Promise<ClerkUiConstructor> {
  const script = document.createElement('script')
  script.src = clerkUIScriptUrl({
    publishableKey: publishable_key,
    ...(proxy_url && { proxyUrl: proxy_url }),
  })
  script.crossOrigin = 'anonymous'
  return new Promise((resolve, reject) => {
    const fail = () => {
      script.remove()
      reject(new Error('The sign-in service’s components could not be loaded.'))
    }
    script.onload = () => {
      const { __internal_ClerkUICtor: Ui } = window as { __internal_ClerkUICtor?: ClerkUiConstructor }
      if (Ui) resolve(Ui)
      else fail()
    }
    script.onerror = fail
    setTimeout(fail, patience_ms)
    document.head.append(script)
  })
}
