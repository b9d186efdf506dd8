import type { Random } from '../support/random.ts'
import { cancel, changeSeats, closeDispute, dispute, refund } from './after-sales.ts'
import { invite, lose } from './colleagues.ts'
import { type Customer, newCustomer, pause, type World } from './customer.ts'
import { buyCredits, subscribe } from './purchases.ts'
import { readBalance, use } from './usage.ts'

type Act = (world: World, customer: Customer, random: Random) => Promise<void>

const ofEverybody: readonly (readonly [weight: number, act: Act])[] = [
  [26, buyCredits],
  [8, subscribe],
  [20, use],
  [10, readBalance],
  [9, refund],
  [5, dispute],
  [5, closeDispute],
  [4, cancel],
]
const ofTeams: typeof ofEverybody = [...ofEverybody, [12, changeSeats], [14, invite], [6, lose]]

/** A customer's days with us: a plan or a purchase to begin with, then whatever comes to mind. */
export async function live(
  world: World,
  random: Random,
  onBorn: (customer: Customer) => void,
): Promise<void> {
  const kind = random.chance(0.35) ? 'team' : 'user'
  const customer = await newCustomer(world, kind)
  onBorn(customer)
  const begin = kind === 'team' || random.chance(0.5) ? subscribe : buyCredits
  await begin(world, customer, random)
  for (let acts = random.int(4, 12); acts > 0 && !world.isClosing(); acts--) {
    const act = random.weighted(kind === 'team' ? ofTeams : ofEverybody)
    await act(world, customer, random)
    await pause(random, 400)
  }
}
