-- Base tables of a store. People query the views (views.sql); these may change between versions.
CREATE TABLE store_info (key VARCHAR NOT NULL, value VARCHAR NOT NULL);

-- Rule sets by content: a hand keeps the meaning it had when it was imported.
CREATE TABLE rule_set (
    rules VARCHAR NOT NULL,
    rules_hash VARCHAR NOT NULL,
    last_trick SMALLINT NOT NULL,
    total_trump SMALLINT NOT NULL,
    total_plain SMALLINT NOT NULL,
    content VARCHAR NOT NULL            -- the whole rule set as JSON
);

-- Points of every card under every trump (4 = no trumps), from the rule set's own tables.
CREATE TABLE card_value (
    rules VARCHAR NOT NULL,
    rules_hash VARCHAR NOT NULL,
    trump UTINYINT NOT NULL,
    card UTINYINT NOT NULL,
    points SMALLINT NOT NULL
);

CREATE TABLE import_run (
    import_id INTEGER NOT NULL,
    imported_at TIMESTAMP NOT NULL,              -- UTC
    program VARCHAR NOT NULL,
    rules VARCHAR,                      -- what --rules said
    format VARCHAR,                     -- what --format said
    read BIGINT NOT NULL,
    stored BIGINT NOT NULL,
    duplicate BIGINT NOT NULL,
    rejected BIGINT NOT NULL,
    empty BIGINT NOT NULL
);

CREATE TABLE source (
    source_id INTEGER NOT NULL,
    import_id INTEGER NOT NULL,
    name VARCHAR NOT NULL,
    format VARCHAR
);

CREATE TABLE import_warning (
    import_id INTEGER NOT NULL,
    source VARCHAR NOT NULL,
    line INTEGER,
    message VARCHAR NOT NULL
);

-- A hand that is shown is in one of three tables; the view `hand` shows them all as rows of hand_row.
CREATE TABLE hand_row (
    hand_id BIGINT NOT NULL,
    hash UBIGINT NOT NULL,
    source_id INTEGER NOT NULL,
    line INTEGER,
    simulated BOOLEAN NOT NULL,
    rules VARCHAR NOT NULL,
    rules_hash VARCHAR NOT NULL,
    rules_named VARCHAR,                -- field 1 as the record has it, where that is not just the id
    record_id VARCHAR,
    date VARCHAR,
    session VARCHAR,
    hand_no VARCHAR,
    event VARCHAR,
    site VARCHAR,
    src VARCHAR,
    n VARCHAR,
    e VARCHAR,
    s VARCHAR,
    w VARCHAR,
    meta_keys VARCHAR,                  -- order of the META keys, where it is not the usual one
    meta_rest VARCHAR,                  -- the other META keys, as the notation writes them
    dealer UTINYINT,
    deal_n UBIGINT,                     -- a complete deal as card sets; West follows
    deal_e UBIGINT,
    deal_s UBIGINT,
    deal_text VARCHAR,                  -- any other deal
    deal_known VARCHAR,                 -- with what follows from the play, where that adds something
    auction VARCHAR,
    n_calls UINTEGER NOT NULL,
    call_seats VARCHAR,                 -- where calls do not simply go round; lower case = not valid
    declaration VARCHAR,
    p0 UBIGINT,                         -- plays, 6 bits a card, 8 cards a word
    p1 UBIGINT,
    p2 UBIGINT,
    p3 UBIGINT,
    n_plays USMALLINT NOT NULL,
    play_text VARCHAR,                  -- where a seat is written, or there are more than 32
    play_seats VARCHAR,                 -- where the seats do not follow from who leads and wins
    claims VARCHAR,
    claims_standing UBIGINT,            -- bit i: claim i stands
    result VARCHAR,
    recorded VARCHAR,
    raw VARCHAR,                        -- original text, where it is not our own writing
    raw_format VARCHAR,                 -- otherwise: the notation that gives it back
    declarer UTINYINT,
    partner TINYINT,                    -- -1: nobody
    contract VARCHAR,
    contract_key VARCHAR,
    level SMALLINT,
    target SMALLINT,
    trump UTINYINT,
    called UTINYINT,
    discard UTINYINT,
    middle UTINYINT,
    passed_out BOOLEAN NOT NULL,
    leader UTINYINT,
    winners UINTEGER NOT NULL,          -- 2 bits a trick
    n_tricks UTINYINT NOT NULL,
    points_side SMALLINT,
    points_defenders SMALLINT,
    points_out SMALLINT,
    tricks_side TINYINT,
    tricks_defenders TINYINT,
    meld_side SMALLINT,
    meld_defenders SMALLINT,
    made BOOLEAN,
    score_n SMALLINT,
    score_e SMALLINT,
    score_s SMALLINT,
    score_w SMALLINT,
    errors UINTEGER NOT NULL,
    warnings UINTEGER NOT NULL,
    has_deal VARCHAR NOT NULL,
    has_auction VARCHAR NOT NULL,
    has_middle VARCHAR NOT NULL,
    has_discard VARCHAR NOT NULL,
    has_meld VARCHAR NOT NULL,
    has_result VARCHAR NOT NULL
);

-- Regular hands are packed into hand_packed and hand_told: pandoeren_replay/store/packed.py.

-- Rule set and contract of packed hands.
CREATE TABLE hand_kind (
    kind USMALLINT NOT NULL,
    rules VARCHAR NOT NULL,
    rules_hash VARCHAR NOT NULL,
    rules_named VARCHAR,
    contract VARCHAR,
    contract_key VARCHAR,
    level SMALLINT,
    target SMALLINT
);

CREATE TABLE violation (
    hand_id BIGINT NOT NULL,
    seq UINTEGER NOT NULL,
    code VARCHAR NOT NULL,
    severity VARCHAR NOT NULL,
    ply USMALLINT,
    call UINTEGER,
    seat UTINYINT,
    params VARCHAR,                     -- JSON: what the sentence names
    message VARCHAR NOT NULL
);

CREATE TABLE disagreement (
    hand_id BIGINT NOT NULL,
    import_id INTEGER NOT NULL,
    source VARCHAR NOT NULL,
    line INTEGER,
    kept VARCHAR NOT NULL,              -- what the stored record says (field 8, where nothing else)
    other VARCHAR NOT NULL,             -- what the same hand says elsewhere
    other_id BIGINT                     -- the record of table hand_other that says so
);

CREATE TABLE reject (
    reject_id BIGINT NOT NULL,
    import_id INTEGER NOT NULL,
    source VARCHAR NOT NULL,
    line INTEGER,
    col INTEGER,
    code VARCHAR NOT NULL,
    token VARCHAR NOT NULL,
    expected VARCHAR NOT NULL,
    message VARCHAR NOT NULL,
    raw VARCHAR NOT NULL
);

CREATE TABLE evaluation (
    hand_id BIGINT NOT NULL,
    ply UTINYINT NOT NULL,
    card UTINYINT NOT NULL,
    goal VARCHAR NOT NULL,
    value SMALLINT NOT NULL,
    best SMALLINT NOT NULL,
    played BOOLEAN NOT NULL,
    solver VARCHAR NOT NULL
);

-- One row a choice of declarer: kind 'discard', 'trump', 'called'; 'none' marks a hand without any.
CREATE TABLE declaration_value (
    hand_id BIGINT NOT NULL,
    kind VARCHAR NOT NULL,
    choice VARCHAR NOT NULL,            -- card, suit, '-' for nobody
    goal VARCHAR NOT NULL,
    value SMALLINT,                     -- NULL: less than best, by how much was not worked out
    best SMALLINT NOT NULL,
    chosen BOOLEAN NOT NULL,
    solver VARCHAR NOT NULL
);

-- One row a decision, judged by what the player could see: kind 'card' (of his hand), 'bid'; 'none'
-- marks a hand of which nothing can be judged.
CREATE TABLE review (
    hand_id BIGINT NOT NULL,
    kind VARCHAR NOT NULL,
    ply UTINYINT,
    call UINTEGER,
    seat UTINYINT NOT NULL,
    choice VARCHAR NOT NULL,            -- card, or call
    best VARCHAR,
    verdict VARCHAR NOT NULL,
    chance FLOAT,
    value FLOAT,                        -- a card's chance; a bid's expected score
    best_value FLOAT,
    loss FLOAT,
    low FLOAT,                          -- interval of the loss
    high FLOAT,
    open_won BOOLEAN,                   -- with open cards, after it
    open_best BOOLEAN,                  -- with open cards, before it
    deals UINTEGER NOT NULL,
    exact BOOLEAN NOT NULL,
    misled BOOLEAN NOT NULL,
    chances VARCHAR,                    -- JSON: chance of every legal card
    bids UINTEGER,                      -- hands that the model of the bids rests on; NULL: none
    version VARCHAR NOT NULL
);

-- Merges of names as they were made, so that each can be undone by itself.
CREATE TABLE player_merge (
    alias VARCHAR NOT NULL,
    name VARCHAR NOT NULL
);

-- What follows from them: the name that every merged name goes by.
CREATE TABLE player_alias (
    alias VARCHAR NOT NULL,
    name VARCHAR NOT NULL
);

-- Further sources that hold exactly the record of a hand (or of one in hand_other).
CREATE TABLE hand_source (
    hand_id BIGINT NOT NULL,
    source_id INTEGER NOT NULL,
    line INTEGER
);

-- Versions of hands that were corrected, each with the hand that stands for it now.
CREATE TABLE hand_version AS
    SELECT *, 0::BIGINT AS replaced_by, 0::INTEGER AS version,
           NULL::TIMESTAMP AS replaced_at,      -- UTC
           ''::VARCHAR AS rule                  -- as in hand_other; empty: the version itself
    FROM hand_row LIMIT 0;

-- Records that tell a hand of table hand once more, in their own words.
CREATE TABLE hand_other AS
    SELECT *, 0::BIGINT AS merged_into, ''::VARCHAR AS rule FROM hand_row LIMIT 0;
