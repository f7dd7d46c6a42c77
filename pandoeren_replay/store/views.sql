-- The stable face of a store: names and columns as documented in docs/store.md.
CREATE OR REPLACE MACRO card_name(i) AS
    substr('SASKSQSJSTS9S8S7HAHKHQHJHTH9H8H7H6DADKDQDJDTD9D8D7CACKCQCJCTC9C8C7', 2 * i::INTEGER + 1, 2);
CREATE OR REPLACE MACRO seat_name(i) AS substr('NESW', i::INTEGER + 1, 1);
CREATE OR REPLACE MACRO trump_name(i) AS substr('SHDC-', i::INTEGER + 1, 1);
CREATE OR REPLACE MACRO play_at(p0, p1, p2, p3, i) AS
    ((CASE i::BIGINT // 8 WHEN 0 THEN p0 WHEN 1 THEN p1 WHEN 2 THEN p2 ELSE p3 END)
        >> (6 * (i::BIGINT % 8))) & 63;
CREATE OR REPLACE MACRO winner_of(winners, i) AS (winners::BIGINT >> (2 * i::BIGINT)) & 3;
-- What a source says, from field 8 of a hand.
CREATE OR REPLACE MACRO recorded_partner(result) AS
    CASE WHEN contains(result, 'partner=') THEN regexp_extract(result, 'partner=([NESW-])', 1) END;
CREATE OR REPLACE MACRO recorded_score(result, seat) AS
    CASE WHEN contains(result, 'score=')
         THEN try_cast(regexp_extract(result, 'score=[^;]*' || seat || '([+-]?[0-9]+)', 1) AS SMALLINT)
    END;
-- Of a score sheet that has one figure a hand: declarer's.
CREATE OR REPLACE MACRO declarer_figure(result, meta) AS
    CASE WHEN contains(meta, 'score_declarer=') AND NOT contains(result, 'score=')
         THEN try_cast(regexp_extract(meta, '(?:^|;)score_declarer=([+-]?[0-9]+)', 1) AS SMALLINT)
    END;
CREATE OR REPLACE MACRO recorded_points(result, part) AS
    CASE WHEN contains(result, 'pts=')
         THEN try_cast(regexp_extract(result, 'pts=([0-9]+)-([0-9]+)', part) AS SMALLINT) END;
-- Nobody bid: the calls say so, or the source does of a hand without cards (a line of a score sheet).
CREATE OR REPLACE MACRO nobody_bid(passed_out, contract, recorded, n_plays) AS
    passed_out OR (contract IS NULL AND n_plays = 0 AND coalesce(recorded = 'void', false));
CREATE OR REPLACE MACRO nothing_won(passed_out, contract, recorded, n_plays) AS
    CASE WHEN nobody_bid(passed_out, contract, recorded, n_plays) THEN 0::SMALLINT END;
-- What calls and cards prove, else what is recorded; a partner who is declarer himself is none.
CREATE OR REPLACE MACRO best_partner(proven, declarer, recorded) AS
    CASE WHEN proven = -1 THEN '-' WHEN proven IS NOT NULL THEN seat_name(proven)
         WHEN recorded = seat_name(declarer) THEN '-' ELSE recorded END;
-- One of three numbers, by what a seat was in a hand.
CREATE OR REPLACE MACRO by_role(seat, declarer, partner, of_declarer, of_partner, of_defender) AS
    CASE WHEN seat = declarer THEN of_declarer WHEN seat = partner THEN of_partner
         ELSE of_defender END::SMALLINT;
-- What a seat was in a hand, as far as it is known.
CREATE OR REPLACE MACRO role_of(seat, declarer, partner, passed_out) AS
    CASE WHEN passed_out OR declarer IS NULL THEN NULL WHEN seat = declarer THEN 'declarer'
         WHEN partner IS NULL THEN NULL WHEN seat = partner THEN 'partner' ELSE 'defender' END;
-- One call of an auction: whose it was, what was said, whether it was in order.
CREATE OR REPLACE MACRO call_seat(call_seats, dealer, i) AS
    coalesce(upper(substr(call_seats, i + 1, 1)), seat_name((dealer + 1 + i) % 4));
CREATE OR REPLACE MACRO call_text(auction, i) AS
    regexp_replace(string_split(auction, ',')[i + 1], '^\([NESW]\)', '');
CREATE OR REPLACE MACRO call_valid(call_seats, i) AS
    coalesce(regexp_matches(substr(call_seats, i + 1, 1), '[NESW?]'), true);
CREATE OR REPLACE MACRO name_at(seat, n, e, s, w) AS
    CASE seat WHEN 'N' THEN n WHEN 'E' THEN e WHEN 'S' THEN s WHEN 'W' THEN w END;
CREATE OR REPLACE MACRO deal_chars(n, e, s, middle) AS
    array_to_string([CASE WHEN i = middle THEN 'M'
                          WHEN (n::BIGINT >> i) & 1 = 1 THEN 'N'
                          WHEN (e::BIGINT >> i) & 1 = 1 THEN 'E'
                          WHEN (s::BIGINT >> i) & 1 = 1 THEN 'S'
                          ELSE 'W' END FOR i IN range(33)], '');

-- {the view hand}

CREATE OR REPLACE VIEW hands AS
SELECT
    h.hand_id,
    printf('%016x', h.hash) AS hash,
    h.record_id AS id,
    h.rules,
    h.rules_hash,
    try_cast(left(coalesce(h.date, x.date), 10) AS DATE) AS date,
    coalesce(h.date, x.date) AS date_text,
    coalesce(h.event, x.event) AS event, coalesce(h.site, x.site) AS site,
    coalesce(h.session, x.session) AS session, coalesce(h.hand_no, x.hand_no) AS hand,
    coalesce(an.name, h.n, x.n) AS north,
    coalesce(ae.name, h.e, x.e) AS east,
    coalesce(as_.name, h.s, x.s) AS south,
    coalesce(aw.name, h.w, x.w) AS west,
    seat_name(h.dealer) AS dealer,
    seat_name(h.declarer) AS declarer,
    CASE h.declarer WHEN 0 THEN coalesce(an.name, h.n, x.n) WHEN 1 THEN coalesce(ae.name, h.e, x.e)
                    WHEN 2 THEN coalesce(as_.name, h.s, x.s) WHEN 3 THEN coalesce(aw.name, h.w, x.w)
        END AS declarer_name,
    best_partner(h.partner, h.declarer, coalesce(r.partner, x.partner)) AS partner,
    name_at(best_partner(h.partner, h.declarer, coalesce(r.partner, x.partner)),
            coalesce(an.name, h.n, x.n), coalesce(ae.name, h.e, x.e),
            coalesce(as_.name, h.s, x.s), coalesce(aw.name, h.w, x.w)) AS partner_name,
    CASE WHEN h.partner IS NOT NULL THEN 'proven'
         WHEN coalesce(r.partner, x.partner) IS NOT NULL THEN 'recorded'
        END AS partner_from,
    h.contract, h.contract_key, h.level, h.target,
    trump_name(h.trump) AS trump,
    card_name(h.called) AS called,
    card_name(h.discard) AS discard,
    card_name(h.middle) AS middle,
    CASE WHEN h.deal_n IS NULL THEN h.deal_text
         ELSE deal_chars(h.deal_n, h.deal_e, h.deal_s, h.middle) END AS deal,
    h.auction, h.claims, nobody_bid(h.passed_out, h.contract, h.recorded, h.n_plays) AS passed_out,
    h.made, coalesce(h.recorded, x.recorded) AS recorded,
    coalesce(h.made, CASE coalesce(h.recorded, x.recorded)
        WHEN 'made' THEN true WHEN 'lost' THEN false END) AS success,
    h.points_side, h.points_defenders, h.points_out,
    h.meld_side, h.meld_defenders, h.tricks_side, h.tricks_defenders,
    CASE WHEN h.target > 0 AND h.n_tricks = 8
         THEN h.points_side + h.meld_side - h.target END AS margin,
    coalesce(h.score_n, x.score_n, r.score_n, x.recorded_n, r.rule_n,
             CASE WHEN h.declarer = 0 THEN r.figure END,
             nothing_won(h.passed_out, h.contract, h.recorded, h.n_plays)) AS score_n,
    coalesce(h.score_e, x.score_e, r.score_e, x.recorded_e, r.rule_e,
             CASE WHEN h.declarer = 1 THEN r.figure END,
             nothing_won(h.passed_out, h.contract, h.recorded, h.n_plays)) AS score_e,
    coalesce(h.score_s, x.score_s, r.score_s, x.recorded_s, r.rule_s,
             CASE WHEN h.declarer = 2 THEN r.figure END,
             nothing_won(h.passed_out, h.contract, h.recorded, h.n_plays)) AS score_s,
    coalesce(h.score_w, x.score_w, r.score_w, x.recorded_w, r.rule_w,
             CASE WHEN h.declarer = 3 THEN r.figure END,
             nothing_won(h.passed_out, h.contract, h.recorded, h.n_plays)) AS score_w,
    CASE h.declarer
        WHEN 0 THEN coalesce(h.score_n, x.score_n, r.score_n, x.recorded_n, r.rule_n, r.figure)
        WHEN 1 THEN coalesce(h.score_e, x.score_e, r.score_e, x.recorded_e, r.rule_e, r.figure)
        WHEN 2 THEN coalesce(h.score_s, x.score_s, r.score_s, x.recorded_s, r.rule_s, r.figure)
        WHEN 3 THEN coalesce(h.score_w, x.score_w, r.score_w, x.recorded_w, r.rule_w, r.figure)
        END AS declarer_score,
    CASE WHEN coalesce(h.score_n, x.score_n) IS NOT NULL THEN 'proven'
         WHEN coalesce(r.score_n, x.recorded_n) IS NOT NULL THEN 'recorded'
         WHEN r.rule_n IS NOT NULL THEN 'rules'
         WHEN r.figure IS NOT NULL
            OR nobody_bid(h.passed_out, h.contract, h.recorded, h.n_plays) THEN 'recorded'
        END AS score_from,
    h.n_calls AS calls, h.n_plays AS plays, h.errors, h.warnings,
    h.has_deal, h.has_auction, h.has_middle, h.has_discard, h.has_meld, h.has_result,
    h.n_plays > 0 OR h.deal_n IS NOT NULL
        OR coalesce(regexp_matches(h.deal_text, '[NESWM]'), false) AS with_cards,
    h.simulated, src.name AS source, h.line, src.format, src.import_id,
    (h.hash % 200)::UTINYINT AS draw
FROM hand h
JOIN source src ON src.source_id = h.source_id
LEFT JOIN (
    -- What is recorded where calls and cards do not prove it; of packed hands they do.
    -- Where nobody wrote down what all four score, that of the contract by the rules: a session
    -- books it so, whatever a sheet says of declarer alone.
    SELECT hand_id, recorded AS partner, score_n, score_e, score_s, score_w, figure,
        by_role('N', declarer, side, of_declarer, of_partner, of_defender) AS rule_n,
        by_role('E', declarer, side, of_declarer, of_partner, of_defender) AS rule_e,
        by_role('S', declarer, side, of_declarer, of_partner, of_defender) AS rule_s,
        by_role('W', declarer, side, of_declarer, of_partner, of_defender) AS rule_w
    FROM (
        SELECT t.*,
            c.declarer + c.declarer_points * coalesce(t.points, 0) AS of_declarer,
            c.partner + c.partner_points * coalesce(t.points, 0) AS of_partner,
            c.defender + c.defender_points * coalesce(t.points, 0) AS of_defender
        FROM (
            SELECT *,
                CASE WHEN won THEN recorded_points(result, 1) + coalesce(meld_side, 0)
                     ELSE recorded_points(result, 2) + coalesce(meld_defenders, 0) END AS points
            FROM (
                SELECT b.hand_id, b.rules, b.rules_hash, b.contract, b.result, b.meld_side,
                    b.meld_defenders, seat_name(b.declarer) AS declarer,
                    recorded_partner(b.result) AS recorded,
                    best_partner(b.partner, b.declarer, recorded_partner(b.result)) AS side,
                    coalesce(b.made, CASE b.recorded WHEN 'made' THEN true WHEN 'lost' THEN false END)
                        AS won,
                    recorded_score(b.result, 'N') AS score_n, recorded_score(b.result, 'E') AS score_e,
                    recorded_score(b.result, 'S') AS score_s, recorded_score(b.result, 'W') AS score_w,
                    declarer_figure(coalesce(b.result, ''), b.meta_rest) AS figure
                FROM hand_row b
                WHERE (b.score_n IS NULL OR b.partner IS NULL)
                    AND (contains(b.result, 'score=') OR contains(b.result, 'partner=')
                        OR contains(b.meta_rest, 'score_declarer=') OR b.recorded IS NOT NULL
                        OR b.made IS NOT NULL)
            )
        ) t
        LEFT JOIN contract_score c ON t.declarer IS NOT NULL
            AND NOT contains(coalesce(t.result, ''), 'score=')
            AND c.rules = t.rules AND c.rules_hash = t.rules_hash AND c.contract = t.contract
            AND c.alone = (t.side = '-') AND c.made = t.won
            AND (t.points IS NOT NULL OR NOT c.by_points)
    )
) r ON r.hand_id = h.hand_id
LEFT JOIN (
    -- What other sources of the same hand say and the stored record does not: only what they agree
    -- on, and names and scores only where they know the seats.
    SELECT
        o.merged_into AS hand_id,
        CASE WHEN count(DISTINCT o.recorded) = 1 THEN min(o.recorded) END AS recorded,
        CASE WHEN count(DISTINCT o.date) = 1 THEN min(o.date) END AS date,
        CASE WHEN count(DISTINCT o.event) = 1 THEN min(o.event) END AS event,
        CASE WHEN count(DISTINCT o.site) = 1 THEN min(o.site) END AS site,
        CASE WHEN count(DISTINCT o.session) = 1 THEN min(o.session) END AS session,
        CASE WHEN count(DISTINCT o.hand_no) = 1 THEN min(o.hand_no) END AS hand_no,
        CASE WHEN count(DISTINCT coalesce(an.name, o.n)) = 1 AND bool_and(o.seated)
            THEN min(coalesce(an.name, o.n)) END AS n,
        CASE WHEN count(DISTINCT coalesce(ae.name, o.e)) = 1 AND bool_and(o.seated)
            THEN min(coalesce(ae.name, o.e)) END AS e,
        CASE WHEN count(DISTINCT coalesce(as_.name, o.s)) = 1 AND bool_and(o.seated)
            THEN min(coalesce(as_.name, o.s)) END AS s,
        CASE WHEN count(DISTINCT coalesce(aw.name, o.w)) = 1 AND bool_and(o.seated)
            THEN min(coalesce(aw.name, o.w)) END AS w,
        CASE WHEN count(DISTINCT recorded_partner(o.result)) = 1 AND bool_and(o.seated)
            THEN min(recorded_partner(o.result)) END AS partner,
        CASE WHEN count(DISTINCT recorded_score(o.result, 'N')) = 1 AND bool_and(o.seated)
            THEN min(recorded_score(o.result, 'N')) END AS recorded_n,
        CASE WHEN count(DISTINCT recorded_score(o.result, 'E')) = 1 AND bool_and(o.seated)
            THEN min(recorded_score(o.result, 'E')) END AS recorded_e,
        CASE WHEN count(DISTINCT recorded_score(o.result, 'S')) = 1 AND bool_and(o.seated)
            THEN min(recorded_score(o.result, 'S')) END AS recorded_s,
        CASE WHEN count(DISTINCT recorded_score(o.result, 'W')) = 1 AND bool_and(o.seated)
            THEN min(recorded_score(o.result, 'W')) END AS recorded_w,
        CASE WHEN count(DISTINCT o.score_n) = 1 AND bool_and(o.seated) THEN min(o.score_n) END AS score_n,
        CASE WHEN count(DISTINCT o.score_e) = 1 AND bool_and(o.seated) THEN min(o.score_e) END AS score_e,
        CASE WHEN count(DISTINCT o.score_s) = 1 AND bool_and(o.seated) THEN min(o.score_s) END AS score_s,
        CASE WHEN count(DISTINCT o.score_w) = 1 AND bool_and(o.seated) THEN min(o.score_w) END AS score_w
    FROM (SELECT *, NOT contains(coalesce(meta_rest, ''), 'seating=assumed') AS seated
          FROM hand_other WHERE rule <> 'same') o
    LEFT JOIN player_alias an ON an.alias = o.n
    LEFT JOIN player_alias ae ON ae.alias = o.e
    LEFT JOIN player_alias as_ ON as_.alias = o.s
    LEFT JOIN player_alias aw ON aw.alias = o.w
    GROUP BY o.merged_into
) x ON x.hand_id = h.hand_id
LEFT JOIN player_alias an ON an.alias = h.n
LEFT JOIN player_alias ae ON ae.alias = h.e
LEFT JOIN player_alias as_ ON as_.alias = h.s
LEFT JOIN player_alias aw ON aw.alias = h.w;

CREATE OR REPLACE VIEW calls AS
SELECT
    hand_id, call,
    call_seat(call_seats, dealer, call) AS seat,
    call_text(auction, call) AS text,
    call_text(auction, call) <> '-' AS is_bid,
    call_valid(call_seats, call) AS valid
FROM (SELECT *, unnest(range(n_calls::BIGINT)) AS call FROM hand);

CREATE OR REPLACE VIEW plays AS
SELECT
    p.hand_id, p.ply, p.ply // 4 + 1 AS trick, p.ply % 4 AS place, p.seat,
    card_name(p.card) AS card,
    CASE WHEN p.ply // 4 < p.n_tricks
         THEN p.seat = seat_name(winner_of(p.winners, p.ply // 4)) END AS won,
    v.points
FROM (
    SELECT *,
        CASE WHEN play_seats IS NOT NULL THEN nullif(substr(play_seats, ply::INTEGER + 1, 1), '?')
             WHEN ply < 4 THEN seat_name((leader::BIGINT + ply) % 4)
             ELSE seat_name((winner_of(winners, ply // 4 - 1) + ply) % 4) END AS seat,
        CASE WHEN ply < 32 THEN play_at(p0, p1, p2, p3, ply) END AS card
    FROM (SELECT *, unnest(range(n_plays::BIGINT)) AS ply FROM hand)
) p
LEFT JOIN card_value v
    ON v.rules = p.rules AND v.rules_hash = p.rules_hash AND v.trump = p.trump AND v.card = p.card;

CREATE OR REPLACE VIEW tricks AS
SELECT
    p.hand_id, p.trick,
    max(CASE WHEN p.place = 0 THEN p.seat END) AS leader,
    seat_name(winner_of(any_value(h.winners), p.trick - 1)) AS winner,
    string_agg(p.card, '' ORDER BY p.ply) AS cards,
    (CASE WHEN count(p.points) = 4 THEN sum(p.points) END
        + any_value(CASE WHEN p.trick = 8 THEN r.last_trick ELSE 0 END))::SMALLINT AS points,
    CASE WHEN any_value(h.declarer) IS NULL OR any_value(h.partner) IS NULL THEN NULL
         WHEN winner_of(any_value(h.winners), p.trick - 1)
            IN (any_value(h.declarer), any_value(h.partner)) THEN 'side' ELSE 'defenders' END AS won_by
FROM plays p
JOIN hand h ON h.hand_id = p.hand_id
JOIN rule_set r ON r.rules = h.rules AND r.rules_hash = h.rules_hash
WHERE p.trick <= h.n_tricks
GROUP BY p.hand_id, p.trick;

CREATE OR REPLACE VIEW melds AS
SELECT
    hand_id, claim,
    regexp_extract(text, '^(\d+)', 1)::INTEGER AS ply,
    regexp_extract(text, '^\d+([NESW])', 1) AS seat,
    regexp_extract(text, '=([a-z]+)', 1) AS kind,
    try_cast(nullif(regexp_extract(text, '=[a-z]+(\d+)', 1), '') AS INTEGER) AS value,
    nullif(regexp_extract(text, ':(.*)$', 1), '') AS cards,
    (claims_standing >> claim::INTEGER) & 1 = 1 AS stands
FROM (SELECT hand_id, claim, string_split(claims, ',')[claim + 1] AS text, claims_standing
      FROM (SELECT *, unnest(range(len(string_split(claims, ',')))) AS claim
            FROM hand WHERE claims IS NOT NULL));

CREATE OR REPLACE VIEW violations AS
SELECT hand_id, seq, code, severity, ply, ply // 4 + 1 AS trick, call, seat_name(seat) AS seat,
       params, message
FROM violation v WHERE NOT EXISTS (SELECT 1 FROM hand_other o WHERE o.hand_id = v.hand_id);

CREATE OR REPLACE VIEW seats AS
SELECT hand_id, seat, player, score, role_of(seat, declarer, partner, passed_out) AS role
FROM (
    SELECT hand_id, declarer, partner, passed_out,
           unnest(['N', 'E', 'S', 'W']) AS seat,
           unnest([north, east, south, west]) AS player,
           unnest([score_n, score_e, score_s, score_w]) AS score
    FROM hands);

-- One look at the hands: joined to the view seats it takes three times as long.
CREATE OR REPLACE VIEW players AS
SELECT
    player AS name,
    count(*) AS hands,
    count(*) FILTER (role = 'declarer') AS declarer,
    count(*) FILTER (role = 'partner') AS partner,
    count(*) FILTER (role = 'defender') AS defender,
    count(*) FILTER (role = 'declarer' AND success) AS made,
    count(*) FILTER (role = 'declarer' AND NOT success) AS lost,
    sum(score)::BIGINT AS score,
    min(date) AS first_date,
    max(date) AS last_date,
    bool_and(simulated) AS simulated,
    count(*) FILTER (NOT with_cards) AS without_cards,
    count(*) FILTER (simulated) AS simulated_hands
FROM (
    SELECT player, score, success, date, simulated, with_cards,
        role_of(seat, declarer, partner, passed_out) AS role
    FROM (
        SELECT declarer, partner, passed_out, success, date, simulated, with_cards,
               unnest(['N', 'E', 'S', 'W']) AS seat,
               unnest([north, east, south, west]) AS player,
               unnest([score_n, score_e, score_s, score_w]) AS score
        FROM hands))
WHERE player IS NOT NULL
GROUP BY player;

CREATE OR REPLACE VIEW sessions AS
SELECT
    session,
    any_value(event) AS event,
    min(date) AS first_date,
    max(date) AS last_date,
    count(*) AS hands,
    count(*) FILTER (passed_out) AS passed_out,
    sum(errors)::BIGINT AS errors,
    list_sort(list_distinct(flatten(list([north, east, south, west])))) AS players,
    list_sort(list(DISTINCT rules)) AS rules,
    bool_or(simulated) AS simulated,
    min(hand_id) AS first_hand_id,
    count(*) FILTER (NOT with_cards) AS without_cards
FROM hands
WHERE session IS NOT NULL
GROUP BY session;

CREATE OR REPLACE VIEW evaluations AS
SELECT hand_id, ply, card_name(card) AS card, goal, value, best,
    abs(best - value)::SMALLINT AS loss, played, solver
FROM evaluation v WHERE NOT EXISTS (SELECT 1 FROM hand_other o WHERE o.hand_id = v.hand_id);

CREATE OR REPLACE VIEW declaration_evaluations AS
SELECT hand_id, kind, choice, goal, value, best, (best - value)::SMALLINT AS loss, chosen, solver
FROM declaration_value v WHERE kind <> 'none'
    AND NOT EXISTS (SELECT 1 FROM hand_other o WHERE o.hand_id = v.hand_id);

CREATE OR REPLACE VIEW reviews AS
SELECT hand_id, kind, ply, call, seat_name(seat) AS seat, choice, best, verdict, chance, value,
    best_value, loss, low, high, open_won, open_best,
    CASE WHEN kind = 'card' THEN (open_best::TINYINT - open_won::TINYINT)::TINYINT END AS open_loss,
    deals, exact, misled, chances, bids, version
FROM review v WHERE kind <> 'none'
    AND NOT EXISTS (SELECT 1 FROM hand_other o WHERE o.hand_id = v.hand_id);

CREATE OR REPLACE VIEW imports AS SELECT * FROM import_run;

-- Every record of every hand: the stored one, and what other sources say of the same hand.
CREATE OR REPLACE VIEW hand_sources AS
SELECT r.hand_id, r.record, r.kind, r.source_id, src.import_id, src.name AS source, r.line,
       src.format, r.result, r.plays
FROM (
    SELECT hand_id, hand_id AS record, 'shown' AS kind, source_id, line, result, n_plays AS plays
    FROM hand
    UNION ALL
    SELECT merged_into, hand_id, rule, source_id, line, result, n_plays FROM hand_other
    UNION ALL
    SELECT coalesce(o.merged_into, s.hand_id), s.hand_id, 'copy', s.source_id, s.line,
           coalesce(h.result, o.result), coalesce(h.n_plays, o.n_plays)
    FROM hand_source s
    LEFT JOIN hand h ON h.hand_id = s.hand_id
    LEFT JOIN hand_other o ON o.hand_id = s.hand_id
) r
JOIN source src ON src.source_id = r.source_id;

-- Earlier versions of hands that were corrected.
CREATE OR REPLACE VIEW versions AS
SELECT replaced_by AS hand_id, version, hand_id AS version_id, printf('%016x', hash) AS hash,
       replaced_at
FROM hand_version WHERE rule = '';

CREATE OR REPLACE VIEW sources AS
SELECT s.source_id, s.import_id, s.name, s.format, i.imported_at,
       coalesce(n.hands, 0) AS hands, coalesce(m.known, 0) AS known
FROM source s
JOIN import_run i ON i.import_id = s.import_id
LEFT JOIN (SELECT source_id, count(*) AS hands FROM hand GROUP BY source_id) n
    ON n.source_id = s.source_id
LEFT JOIN (SELECT source_id, count(*) AS known
           FROM (SELECT source_id FROM hand_other UNION ALL SELECT source_id FROM hand_source)
           GROUP BY source_id) m ON m.source_id = s.source_id;

CREATE OR REPLACE VIEW rejects AS
SELECT reject_id, import_id, source, line, col AS "column", code, token, expected, message, raw
FROM reject;

CREATE OR REPLACE VIEW import_warnings AS SELECT * FROM import_warning;

CREATE OR REPLACE VIEW disagreements AS SELECT * FROM disagreement;

CREATE OR REPLACE VIEW rule_sets AS SELECT rules, rules_hash, content FROM rule_set;
